#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/storage/database.h>

#include "connection.h"

namespace holdfast::storage::sqlite {

/// Connections for reading, kept open between snapshots. Thread safety: any thread.
class ReaderPool {
 public:
  /// The environment must outlive the pool.
  ReaderPool(ConnectionOptions options, std::size_t idle_max, core::Environment& environment)
      : options_(std::move(options)), idle_max_(idle_max), environment_(environment) {}

  std::unique_ptr<SqliteConnection> take();
  void give_back(std::unique_ptr<SqliteConnection> connection);

  /// Counts a reader as open from now on; give the answer to ended().
  std::chrono::microseconds started();
  void ended(std::chrono::microseconds since);
  /// Age of the oldest open reader; zero without one.
  std::chrono::microseconds oldest();

 private:
  const ConnectionOptions options_;
  const std::size_t idle_max_;
  core::Environment& environment_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SqliteConnection>> idle_;
  std::multiset<std::chrono::microseconds> open_since_;
};

class SqliteSnapshot final : public Snapshot {
 public:
  /// Without `age_max` it may last as long as it likes.
  SqliteSnapshot(ReaderPool& pool, core::Clock& clock,
                 std::optional<std::chrono::microseconds> age_max);
  ~SqliteSnapshot() override;
  SqliteSnapshot(const SqliteSnapshot&) = delete;
  SqliteSnapshot& operator=(const SqliteSnapshot&) = delete;

  Transaction& transaction() override { return *transaction_; }
  SqliteConnection& connection() { return *connection_; }

 private:
  ReaderPool& pool_;
  std::unique_ptr<SqliteConnection> connection_;
  std::optional<Transaction> transaction_;
  std::chrono::microseconds since_{0};
};

}  // namespace holdfast::storage::sqlite
