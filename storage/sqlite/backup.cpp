#include "backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <holdfast/core/error.h>

#include "errors.h"
#include "schema.h"

namespace holdfast::storage::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr int kStepPages = 1024;

[[noreturn]] void fail_at(const fs::path& path, const char* doing) {
  const std::string text = "backup: " + path.string() + ": " + doing + ": " + std::strerror(errno);
  if (errno == ENOSPC || errno == EDQUOT) throw Full(text);
  throw Unavailable(text);
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, mode_t mode = 0)
      : value_(open(path.c_str(), flags | O_CLOEXEC, mode)) {
    if (value_ < 0) fail_at(path, "cannot open");
  }
  ~Descriptor() { close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

void sync(const fs::path& path, int flags) {
  const Descriptor file(path, flags);
  if (fsync(file.value()) != 0) fail_at(path, "cannot sync");
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The copy under its temporary name, which is gone at the end unless it was moved.
class Partial {
 public:
  /// Whoever may read the source may read the copy, and nobody else; its owner may write it.
  Partial(const fs::path& to, const std::string& source_path, core::Random& random)
      : path_(to.string() + ".partial-" + std::to_string(random.next())) {
    struct stat source {};
    const bool is_known = stat(source_path.c_str(), &source) == 0;
    const Descriptor file(path_, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (is_known && fchmod(file.value(), (source.st_mode & 0777) | S_IWUSR) != 0) {
      fail_at(path_, "cannot set its mode");
    }
  }
  ~Partial() {
    if (!is_moved_) unlink(path_.c_str());
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  const fs::path& path() const { return path_; }

  /// False when there is something at `to` already.
  bool move_to(const fs::path& to) {
    is_moved_ = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
    if (!is_moved_ && (errno == EINVAL || errno == ENOSYS)) {
      // A file system that cannot rename so can still refuse a second name.
      if (link(path_.c_str(), to.c_str()) == 0) is_moved_ = unlink(path_.c_str()) == 0;
    }
    if (!is_moved_ && errno != EEXIST) fail_at(to, "cannot rename the copy");
    return is_moved_;
  }

 private:
  const fs::path path_;
  bool is_moved_ = false;
};

[[noreturn]] void refuse(const fs::path& to, const char* rule) {
  throw InvalidArgument("to", to.string(), rule);
}

void require_free(const fs::path& to) {
  std::error_code error;
  if (!to.has_filename()) refuse(to, "name a file");
  if (!fs::is_directory(folder_of(to), error)) refuse(to, "lie in a folder that exists");
  if (fs::exists(fs::symlink_status(to, error))) refuse(to, "not exist yet");
  for (const char* suffix : {"-wal", "-journal"}) {
    // It would be taken for the copy's, and undo or overwrite parts of it.
    if (fs::exists(fs::symlink_status(to.string() + suffix, error))) {
      refuse(to, "have no -wal or -journal of an earlier database beside it");
    }
  }
}

struct Finish {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

/// False when `control` stopped it.
bool copy_pages(SqliteConnection& source, const fs::path& to, const BackupControl& control) {
  SqliteConnection copy({.path = to.string(), .vfs = "", .access = Access::read_write});
  // The file is nobody's until it is whole; it is synced then.
  copy.answer("PRAGMA journal_mode = MEMORY");
  copy.answer("PRAGMA synchronous = OFF");
  const std::unique_ptr<sqlite3_backup, Finish> backup(
      sqlite3_backup_init(copy.handle(), "main", source.handle(), "main"));
  if (!backup) fail(copy.handle(), "begin a backup");
  for (;;) {
    const int code = sqlite3_backup_step(backup.get(), kStepPages);
    if (code != SQLITE_OK && code != SQLITE_DONE) {
      fail(code, sqlite3_errstr(code), "back up to " + to.string());
    }
    const auto total = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup.get()));
    const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(backup.get()));
    if (control && !control({.pages_done = total - left, .pages_total = total})) return false;
    if (code == SQLITE_DONE) return true;
  }
}

constexpr const char* kSchema =
    "SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10))"
    " FROM (SELECT type, name, sql FROM sqlite_schema ORDER BY type, name)";

/// Reads the copy as immutable: any other way would leave files beside it.
void check(SqliteConnection& source, const fs::path& copy_path) {
  SqliteConnection copy({.path = copy_path.string(),
                         .vfs = "",
                         .access = Access::read_only,
                         .busy_limit = {},
                         .is_immutable = true});
  const auto require = [](bool holds, const std::string& finding) {
    if (!holds) throw Corrupt("the copy is not sound: " + finding);
  };
  const std::string finding = copy.answer("PRAGMA integrity_check(1)");
  require(finding == "ok", finding);
  require(copy.answer_integer("PRAGMA application_id") == kApplicationId, "another application id");
  require(copy.answer(kSchema) == source.answer(kSchema), "another schema");
}

}  // namespace

bool write_backup(SqliteConnection& source, const std::string& source_path, const fs::path& to,
                  const BackupControl& control, core::Environment& environment) {
  require_free(to);
  // The first read fixes the instant that the transaction sees.
  source.answer("SELECT count(*) FROM sqlite_schema");
  Partial partial(to, source_path, environment.random);
  environment.faults.at("backup.started");
  if (!copy_pages(source, partial.path(), control)) return false;
  environment.faults.at("backup.copied");
  check(source, partial.path());
  sync(partial.path(), O_RDWR);
  if (!partial.move_to(to)) refuse(to, "not exist yet");
  try {
    sync(folder_of(to), O_RDONLY | O_DIRECTORY);
  } catch (...) {
    unlink(to.c_str());
    throw;
  }
  return true;
}

}  // namespace holdfast::storage::sqlite
