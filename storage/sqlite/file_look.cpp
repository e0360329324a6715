#include "file_look.h"

#include <sys/stat.h>

#include <algorithm>

#include "errors.h"

namespace holdfast::storage::sqlite {

std::string read_header(const ConnectionOptions& options) {
  SqliteConnection look(options);
  sqlite3_file* file = nullptr;
  sqlite3_file_control(look.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 size = 0;
  std::string header(kHeaderBytes, '\0');
  int code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, header.data(), kHeaderBytes, 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    fail(code, "reading its header failed", "open " + options.path);
  }
  // SQLite calls a file of one byte empty, and would write over it.
  if (size == 0 && header[0] != '\0') size = 1;
  header.resize(static_cast<std::size_t>(std::min<sqlite3_int64>(size, kHeaderBytes)));
  return header;
}

Trace trace_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_ino), status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

}  // namespace holdfast::storage::sqlite
