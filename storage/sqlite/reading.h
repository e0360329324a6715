#pragma once

#include "commit_watch.h"
#include "open.h"
#include "readers.h"

namespace holdfast::storage::sqlite {

/// What every open database can do, whether or not it may write.
/// Thread safety: that of Database.
class ReadingDatabase : public Database {
 public:
  std::unique_ptr<Snapshot> snapshot(ReaderAge age) override;
  DatabaseInfo info() override;
  std::vector<std::string> check_integrity() override;
  std::chrono::microseconds oldest_reader() override { return readers_.oldest(); }
  bool wait_for_commit(std::uint64_t seen, std::chrono::milliseconds limit) override {
    return commit_watch_.wait(seen, limit);
  }
  bool backup(const std::filesystem::path& to, const BackupControl& control) override;
  std::vector<TableBytes> table_bytes() override;

 protected:
  ReadingDatabase(const Options& options, Place place, const ConnectionOptions& readers,
                  core::Environment& environment);

  /// Called before each snapshot; throws Unavailable when what it would see cannot be trusted.
  virtual void require_readable() {}

  const Options options_;
  const Place place_;
  core::Environment& environment_;

 private:
  ReaderPool readers_;
  CommitWatch commit_watch_;
};

/// For OpenMode::read_only. Throws as Database::open says.
std::unique_ptr<Database> open_read_only(const Options& options, Place place,
                                         core::Environment& environment);

}  // namespace holdfast::storage::sqlite
