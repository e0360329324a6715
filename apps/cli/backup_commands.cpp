#include <filesystem>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "failure.h"
#include "folders.h"
#include "interrupt.h"
#include "progress.h"
#include "session.h"
#include "text.h"
#include "verify_command.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Store> open_read_only(const fs::path& file) {
  StoreOptions options;
  options.database.path = file;
  options.database.access = storage::OpenMode::read_only;
  options.database.create = false;
  return Store::open(options);
}

/// Copies the store's database; leaves nothing behind when a signal stops it.
void copy(Store& store, const fs::path& to, const std::string& label, bool is_for_program,
          const Interrupt& interrupt) {
  Progress progress(label, is_for_program);
  const bool is_done = store.database().backup(to, [&](const storage::BackupProgress& now) {
    progress.update(now.pages_done, now.pages_total);
    return interrupt.signal() == 0;
  });
  progress.finish();
  if (!is_done) stop_for(interrupt.signal(), "stopped; nothing was left behind");
}

/// Whether the file is there, be it a link.
bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

/// What reading a database leaves beside it, an empty log and its index, goes again with this,
/// unless it was there before, or somebody has opened the database for writing since.
class Traces {
 public:
  explicit Traces(const fs::path& file)
      : log_(file.string() + "-wal"),
        index_(file.string() + "-shm"),
        lock_(file.string() + "-lock"),
        are_others_(is_there(log_) || is_there(index_)) {}
  ~Traces() {
    std::error_code error;
    if (are_others_ || is_there(lock_) || fs::file_size(log_, error) != 0 || error) return;
    fs::remove(log_, error);
    fs::remove(index_, error);
  }
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

 private:
  fs::path log_;
  fs::path index_;
  fs::path lock_;
  bool are_others_;
};

journal::VerifyReport verify_copy(const fs::path& file, bool is_for_program,
                                  const Interrupt& interrupt, const std::string& stopped) {
  const Traces traces(file);
  const auto store = open_read_only(file);
  return verify_store(*store, is_for_program, [&] {
    if (interrupt.signal() != 0) stop_for(interrupt.signal(), stopped);
  });
}

std::string report_json(const fs::path& from, const fs::path& to,
                        const journal::VerifyReport& verified) {
  std::error_code ignored;
  return core::JsonWriter()
      .raw("from", json_string(from.string()))
      .raw("to", json_string(to.string()))
      .unsigned_integer("bytes", fs::file_size(to, ignored))
      .raw("verified", to_json(verified))
      .finish();
}

std::string report_text(const fs::path& from, const fs::path& to,
                        const journal::VerifyReport& verified) {
  std::error_code ignored;
  return "copied " + printable(from.string()) + "\n    to " + printable(to.string()) + ", " +
         grouped(fs::file_size(to, ignored)) + " bytes\n" + describe(verified);
}

void report_copy(Session& session, const fs::path& from, const fs::path& to,
                 const journal::VerifyReport& verified) {
  session.confirm(session.json() ? report_json(from, to, verified)
                                 : report_text(from, to, verified));
}

void require_free(const fs::path& file) {
  if (!is_there(file)) return;
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "there is a file at " + file.string() +
                            " already; move it away, or name another place with --db",
                 .fields = {{"path", json_string(file.string())}}});
}

}  // namespace

void back_up(Session& session, const Options& options) {
  const fs::path to = fs::absolute(options.file).lexically_normal();
  const Interrupt interrupt;
  copy(session.reader(), to, "backup", session.json(), interrupt);
  const auto verified = verify_copy(to, session.json(), interrupt,
                                    "stopped; the copy is whole, but was not verified");
  report_copy(session, session.location().path, to, verified);
  refuse_findings(verified, "the copy holds what the database holds; restore an earlier one");
}

void restore_backup(Session& session, const Options& options) {
  const fs::path from = fs::absolute(options.file).lexically_normal();
  const fs::path to = session.location().path;
  require_free(to);
  const Interrupt interrupt;
  const auto verified =
      verify_copy(from, session.json(), interrupt, "stopped; nothing was restored");
  refuse_findings(verified, "the backup was not restored");
  make_private_folders(to);
  const Traces traces(from);
  copy(*open_read_only(from), to, "restore", session.json(), interrupt);
  report_copy(session, from, to, verified);
}

}  // namespace holdfast::cli
