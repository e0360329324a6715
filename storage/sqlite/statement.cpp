#include "statement.h"

#include <stdexcept>
#include <string>

#include "errors.h"

namespace holdfast::storage::sqlite {

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql)
    : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(connection, sql);
  const int count = sqlite3_bind_parameter_count(statement);
  for (int i = 1; i <= count; ++i) {
    const std::string name = "$" + std::to_string(i);
    const int slot = sqlite3_bind_parameter_index(statement, name.c_str());
    if (slot == 0) throw std::logic_error("no " + name + " in: " + std::string(sql));
    slots_.push_back(slot);
  }
}

void SqliteStatement::check(int code) {
  if (code != SQLITE_OK) fail(connection_, sqlite3_sql(statement_.get()));
}

void SqliteStatement::bind_integer(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), slot(parameter), value));
}

void SqliteStatement::bind_real(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), slot(parameter), value));
}

void SqliteStatement::bind_text(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), slot(parameter), value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteStatement::bind_blob(int parameter, std::span<const std::uint8_t> value) {
  check(sqlite3_bind_blob64(statement_.get(), slot(parameter), value.data(), value.size(),
                            SQLITE_TRANSIENT));
}

void SqliteStatement::bind_null(int parameter, Type) {
  check(sqlite3_bind_null(statement_.get(), slot(parameter)));
}

bool SqliteStatement::step() {
  is_running_ = true;
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      fail(connection_, sqlite3_sql(statement_.get()));
  }
}

std::int64_t SqliteStatement::affected() const {
  return sqlite3_stmt_readonly(statement_.get()) != 0 ? 0 : sqlite3_changes64(connection_);
}

void SqliteStatement::reset() noexcept {
  if (!is_running_) return;
  sqlite3_reset(statement_.get());
  is_running_ = false;
}

std::optional<Type> SqliteStatement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::blob;
    default:
      return std::nullopt;
  }
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string_view{} : std::string_view(bytes, size);
}

std::span<const std::uint8_t> SqliteStatement::blob(int column) const {
  const auto* bytes =
      static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace holdfast::storage::sqlite
