#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "session.h"
#include "store_report.h"
#include "text.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFreeBytesMin = std::uint64_t{64} << 20U;

struct Check {
  std::string check;
  std::string status;  ///< "ok", "note", "warning" or "problem"
  std::string detail;
};

class Checks {
 public:
  void add(std::string check, std::string status, std::string detail) {
    checks_.push_back({std::move(check), std::move(status), std::move(detail)});
  }
  std::string json() const {
    std::vector<std::string> items;
    for (const Check& check : checks_) {
      items.push_back(core::JsonWriter()
                          .string("check", check.check)
                          .string("status", check.status)
                          .raw("detail", json_string(check.detail))
                          .finish());
    }
    return json_array(items);
  }
  std::string text() const {
    Table table({{"CHECK"}, {"STATUS"}, {"DETAIL"}});
    for (const Check& check : checks_) table.add({check.check, check.status, check.detail});
    return table.text();
  }

 private:
  std::vector<Check> checks_;
};

/// File systems on which locks or shared memory between processes cannot be relied on; the numbers
/// are those of statfs(2).
struct FileSystem {
  long type;
  const char* name;
  const char* warning;
};
constexpr const char* kNetwork = "locks and shared memory are not reliable over a network";
constexpr std::array kFileSystems = {
    FileSystem{0x6969, "NFS", kNetwork},
    FileSystem{0x517B, "SMB", kNetwork},
    FileSystem{0xFF534D42, "CIFS", kNetwork},
    FileSystem{0xFE534D42, "SMB2", kNetwork},
    FileSystem{0x01021997, "9P", "a shared folder: the host's programs obey no lock here"},
    FileSystem{0x65735546, "FUSE", "whether locks and syncs work depends on what is behind it"},
    FileSystem{0x01021994, "tmpfs", "kept in memory: lost at the next start of the machine"},
    FileSystem{0xEF53, "ext4", nullptr},
    FileSystem{0x58465342, "XFS", nullptr},
    FileSystem{0x9123683E, "Btrfs", nullptr},
    FileSystem{0x2FC12FC1, "ZFS", nullptr},
    FileSystem{0x794C7630, "overlay", nullptr},
};

void check_folder(Checks& checks, const fs::path& folder) {
  if (access(folder.c_str(), F_OK) != 0) {
    checks.add("folder", "problem", folder.string() + " does not exist; run `holdfast init`");
    return;
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    checks.add("folder", "problem",
               folder.string() + " cannot be written: the log and the lock file lie beside the "
                                 "database");
    return;
  }
  checks.add("folder", "ok", folder.string());

  struct statfs system {};
  if (statfs(folder.c_str(), &system) == 0) {
    const FileSystem* known = nullptr;
    for (const FileSystem& one : kFileSystems) {
      if (one.type == static_cast<long>(system.f_type)) known = &one;
    }
    if (known == nullptr) {
      checks.add("file system", "note", "of a kind not known here");
    } else if (known->warning == nullptr) {
      checks.add("file system", "ok", known->name);
    } else {
      checks.add("file system", "warning", std::string(known->name) + ": " + known->warning);
    }
  }
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) == 0) {
    const std::uint64_t free = std::uint64_t{space.f_bavail} * space.f_frsize;
    checks.add("free space", free < kFreeBytesMin ? "warning" : "ok",
               grouped(free >> 20U) + " MiB");
  }
}

void check_file(Checks& checks, const fs::path& file) {
  // Only looked at, never opened: closing it would drop the locks of whoever has it open here.
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) {
    checks.add("file", errno == ENOENT ? "problem" : "warning",
               file.string() + ": " + std::strerror(errno));
    return;
  }
  if (!S_ISREG(found.st_mode)) {
    checks.add("file", "problem", file.string() + " is not a regular file");
    return;
  }
  if (access(file.c_str(), R_OK | W_OK) != 0) {
    checks.add("permissions", "problem", "the file cannot be read and written by this user");
  } else if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    checks.add("permissions", "note",
               "other users may open it; `chmod go-rwx` on it would keep it to this one");
  } else {
    checks.add("permissions", "ok", "only this user may open it");
  }
  if (found.st_nlink > 1) {
    checks.add("hard links", "problem",
               "the file has " + std::to_string(found.st_nlink) +
                   " names; programs that use different ones do not see each other's locks");
  } else {
    checks.add("hard links", "ok", "the file has one name");
  }
}

void check_lock_file(Checks& checks, const fs::path& lock) {
  if (access(lock.c_str(), F_OK) != 0) {
    checks.add("lock file", "note", lock.string() + " is not there; the next open makes it");
  } else if (access(lock.c_str(), R_OK | W_OK) != 0) {
    checks.add("lock file", "problem", lock.string() + " cannot be read and written by this user");
  } else {
    checks.add("lock file", "ok", lock.string());
  }
}

void check_engine(Checks& checks, const storage::DatabaseInfo& info) {
  const std::string engine = info.backend + " " + info.engine_version;
  if (info.advice.empty()) {
    checks.add("engine", "ok", engine);
  } else {
    checks.add("engine", "note", engine + ": " + info.advice);
  }
  checks.add("journal mode", info.journal_mode == "wal" ? "ok" : "problem", info.journal_mode);
  checks.add("durability", info.durability == "full" ? "ok" : "note",
             info.durability == "full" ? "full: a write survives the loss of power"
                                       : info.durability + ": the loss of power may take the last "
                                                           "writes along, never part of one");
  checks.add("schema", "ok", "version " + std::to_string(info.schema_version));
}

}  // namespace

void doctor(Session& session, const Options&) {
  Checks checks;
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(session.location().path, ignored);
  const fs::path file = path.empty() ? session.location().path : path;
  check_folder(checks, file.parent_path());
  check_file(checks, file);
  std::exception_ptr unusable;
  std::string database = "null";
  try {
    const auto info = session.store().database().info();
    check_engine(checks, info);
    checks.add("projections", "ok", grouped(session.store().stats().projections) + " declared");
    database = to_json(info);
  } catch (const Error& error) {
    checks.add("open", "problem", error.what());
    unusable = std::current_exception();
  }
  check_lock_file(checks, file.string() + "-lock");
  if (session.json()) {
    session.print(core::JsonWriter()
                      .raw("path", json_string(file.string()))
                      .boolean("usable", unusable == nullptr)
                      .raw("database", database)
                      .raw("checks", checks.json())
                      .finish());
  } else {
    session.print(printable(file.string()) + "\n" + checks.text() +
                  (unusable ? "" : "usable\n"));
  }
  if (unusable) std::rethrow_exception(unusable);
}

}  // namespace holdfast::cli
