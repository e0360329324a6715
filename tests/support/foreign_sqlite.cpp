#include "foreign_sqlite.h"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace holdfast::test {

void run_sql(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open(file.c_str(), &handle);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> connection(handle, &sqlite3_close);
  if (opened == SQLITE_OK &&
      sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) {
    return;
  }
  throw std::runtime_error(std::string("a test's SQL failed: ") + sqlite3_errmsg(handle));
}

}  // namespace holdfast::test
