#include "connection.h"

#include <holdfast/core/digest.h>

#include "errors.h"
#include "statement.h"

namespace holdfast::storage::sqlite {
namespace {

int open_flags(Access access) {
  switch (access) {
    case Access::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Access::read_write:
      return SQLITE_OPEN_READWRITE;
    case Access::read_only:
      break;
  }
  return SQLITE_OPEN_READONLY;
}

/// sqlite.org/uri.html: what would end the path, or stand for another byte, is escaped.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool is_special = c == '?' || c == '#' || c == '%';
    uri += is_special ? "%" + core::to_hex({&c, 1}) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

sqlite3* open_handle(const ConnectionOptions& options) {
  sqlite3* handle = nullptr;
  const std::string name = options.is_immutable ? immutable_uri(options.path) : options.path;
  const int uri = options.is_immutable ? SQLITE_OPEN_URI : 0;
  const int code = sqlite3_open_v2(name.c_str(), &handle,
                                   open_flags(options.access) | SQLITE_OPEN_NOMUTEX | uri,
                                   options.vfs.empty() ? nullptr : options.vfs.c_str());
  if (code == SQLITE_OK) return handle;
  const std::string message = handle == nullptr ? "out of memory" : sqlite3_errmsg(handle);
  sqlite3_close(handle);
  fail(code, message, "open " + options.path);
}

}  // namespace

SqliteConnection::SqliteConnection(const ConnectionOptions& options)
    : busy_limit_(options.busy_limit),
      handle_(open_handle(options)),
      statements_([this](std::string_view sql) {
        return std::make_unique<SqliteStatement>(handle_.get(), sql);
      }) {
  sqlite3_extended_result_codes(handle_.get(), 1);
  wait_as_configured();
  configure();
}

SqliteConnection::~SqliteConnection() { statements_.clear(); }

void SqliteConnection::configure() {
  sqlite3* handle = handle_.get();
  // SQLite up to 3.51.2 can lose pages when one connection checkpoints while another commits, so
  // checkpoints run only where our lock says that nobody commits.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 100'000);
  for (const char* pragma : {"PRAGMA mmap_size = 0", "PRAGMA cell_size_check = ON",
                             "PRAGMA temp_store = MEMORY"}) {
    answer(pragma);
  }
  // Replaces the hook by which SQLite would start automatic checkpoints.
  sqlite3_wal_hook(
      handle,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteConnection*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
}

void SqliteConnection::wait_as_configured() {
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(busy_limit_.count()));
}

void SqliteConnection::execute(const char* sql) {
  Statement(statements_, sql, nullptr).run();
}

bool SqliteConnection::in_transaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

bool SqliteConnection::has_moved() {
  int moved = 0;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::string SqliteConnection::answer(const char* sql) {
  // Not from the cache: a PRAGMA's answer can depend on when it was compiled.
  SqliteStatement statement(handle_.get(), sql);
  std::string value;
  if (statement.step()) value = statement.text(0);
  while (statement.step()) {
  }
  return value;
}

}  // namespace holdfast::storage::sqlite
