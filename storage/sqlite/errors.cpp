#include "errors.h"

#include <sqlite3.h>

#include <string>

#include <holdfast/core/error.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::storage::sqlite {

void fail(int code, std::string_view message, std::string_view doing) {
  const std::string text = "sqlite: " + std::string(message) + " (code " + std::to_string(code) +
                           ") while: " + std::string(doing.substr(0, 120));
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Busy(text);
    case SQLITE_FULL:
      throw Full(text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw Corrupt(text);
    case SQLITE_CONSTRAINT:
      throw ConstraintViolation(text);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
    case SQLITE_INTERRUPT:
    case SQLITE_AUTH:
      throw Unavailable(text);
    case SQLITE_ERROR:
      // The statements are our own, so a table or column that is not there was taken away.
      if (message.starts_with("no such ")) throw Corrupt(text);
      throw std::logic_error(text);
    default:
      throw std::logic_error(text);
  }
}

void fail(sqlite3* connection, std::string_view doing) {
  fail(sqlite3_extended_errcode(connection), sqlite3_errmsg(connection), doing);
}

}  // namespace holdfast::storage::sqlite
