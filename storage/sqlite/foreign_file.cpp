#include <holdfast/storage/foreign_file.h>

#include <chrono>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

#include "file_look.h"
#include "schema.h"
#include "statement.h"

namespace holdfast::storage {
namespace {

namespace fs = std::filesystem;
using sqlite::SqliteConnection;
using sqlite::SqliteStatement;

constexpr std::chrono::seconds kBusyLimit{5};

[[noreturn]] void refuse(const std::string& path, std::string rule) {
  throw InvalidArgument("file", path, std::move(rule));
}

/// Absolute, so that SQLite takes no name for a URI or for its own ":memory:".
std::string find_file(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw NotFound("file", path.string());
  if (error) throw Unavailable("cannot look at " + path.string() + ": " + error.message());
  if (fs::is_directory(status)) refuse(path.string(), "be a file, not a folder");
  if (!fs::is_regular_file(status)) refuse(path.string(), "be a regular file");
  return fs::canonical(path).string();
}

bool holds_something(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return !error && size > 0;
}

/// How to open the file so that nothing is made beside it. A log needs an index, which reading
/// would make; without a log the file alone is everything.
sqlite::ConnectionOptions look_at(const std::string& path) {
  sqlite::ConnectionOptions options{.path = path,
                                    .vfs = {},
                                    .access = sqlite::Access::read_only,
                                    .busy_limit = kBusyLimit};
  const std::string header = sqlite::read_header(options);
  if (header.size() < sqlite::kHeaderBytes || !header.starts_with(sqlite::kMagic)) {
    refuse(path, "be a SQLite file");
  }
  if (header.substr(sqlite::kApplicationIdAt, 4) == sqlite::kApplicationBytes) {
    refuse(path, "be another program's file, not a Holdfast database");
  }
  options.is_immutable = header[sqlite::kWriteVersionAt] == sqlite::kVersionOfLog ||
                         header[sqlite::kReadVersionAt] == sqlite::kVersionOfLog;
  if (options.is_immutable && holds_something(path + "-wal")) {
    throw Unavailable(path + " has changes in the log beside it; let its own program close it, or "
                             "copy the log with PRAGMA wal_checkpoint");
  }
  return options;
}

std::string as_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

/// A value as an error shows it.
std::string shown(const SqliteStatement& statement, int column) {
  const auto type = statement.type(column);
  if (!type) return "null";
  if (*type != Type::blob) return std::string(statement.text(column));
  return "a blob of " + std::to_string(statement.blob(column).size()) + " bytes";
}

}  // namespace

struct ForeignFile::State {
  explicit State(const sqlite::ConnectionOptions& options)
      : path(options.path),
        is_immutable(options.is_immutable),
        trace(sqlite::trace_of(options.path)),
        connection(options) {}

  /// Without locks nothing keeps others from writing; what was read meanwhile may be torn.
  void require_unchanged() const {
    if (!is_immutable) return;
    if (sqlite::trace_of(path) == trace && !holds_something(path + "-wal")) return;
    throw Unavailable(path + " was changed while it was being read; try again");
  }

  const std::string path;
  const bool is_immutable;
  const sqlite::Trace trace;
  SqliteConnection connection;
};

struct ForeignRows::State {
  State(ForeignFile::State& home, std::string name, std::vector<std::string> names,
        const std::string& sql)
      : file(home),
        table(std::move(name)),
        columns(std::move(names)),
        statement(file.connection.handle(), sql) {}

  void require(int column, Type wanted, const char* rule) const {
    if (statement.type(column) == wanted) return;
    refuse_value(column, rule);
  }
  [[noreturn]] void refuse_value(int column, const char* rule) const {
    throw InvalidArgument(place(column), shown(statement, column), rule);
  }
  std::string place() const { return table + " row " + std::to_string(number); }
  std::string place(int column) const {
    return place() + ": " + columns.at(static_cast<std::size_t>(column));
  }

  ForeignFile::State& file;
  const std::string table;
  const std::vector<std::string> columns;
  SqliteStatement statement;
  std::uint64_t number = 0;
};

ForeignRows::ForeignRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
ForeignRows::ForeignRows(ForeignRows&&) noexcept = default;
ForeignRows::~ForeignRows() = default;

bool ForeignRows::next() {
  ++state_->number;
  try {
    if (state_->statement.step()) return true;
  } catch (const Corrupt& error) {
    // Not our database: its reader must not be told to mend that.
    throw InvalidArgument(place(), state_->file.path,
                          std::string("be readable, and it is damaged: ") + error.what());
  }
  state_->file.require_unchanged();
  return false;
}

std::int64_t ForeignRows::integer(int column) const {
  state_->require(column, Type::integer, "be an integer");
  return state_->statement.integer(column);
}

std::optional<std::int64_t> ForeignRows::integer_or_null(int column) const {
  if (state_->statement.is_null(column)) return std::nullopt;
  return integer(column);
}

std::string ForeignRows::text(int column) const {
  state_->require(column, Type::text, "be text");
  std::string text(state_->statement.text(column));
  if (!core::is_text(text)) state_->refuse_value(column, "be UTF-8 without NUL");
  return text;
}

std::optional<std::string> ForeignRows::text_or_null(int column) const {
  if (state_->statement.is_null(column)) return std::nullopt;
  return text(column);
}

std::string ForeignRows::place() const { return state_->place(); }
std::string ForeignRows::place(int column) const { return state_->place(column); }

namespace {

std::string select(ForeignFile::State& file, const std::string& table,
                   const std::vector<std::string>& columns) {
  const auto has = [&](const char* sql, const auto&... names) {
    Statement statement(file.connection.statements(), sql, nullptr);
    return statement.bind(names...).step();
  };
  if (!has("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower($1)",
           table)) {
    refuse(file.path, "have the table " + table);
  }
  std::string list;
  for (const std::string& column : columns) {
    if (!has("SELECT 1 FROM pragma_table_info($1) WHERE lower(name) = lower($2)", table, column)) {
      refuse(file.path, "have the column " + column + " in its table " + table);
    }
    list += (list.empty() ? "" : ", ") + as_name(column);
  }
  // Through an index the rows would come in its order, and their numbers would say nothing.
  return "SELECT " + list + " FROM " + as_name(table) + " NOT INDEXED";
}

}  // namespace

ForeignFile::ForeignFile(const fs::path& path) {
  const std::string found = find_file(path);
  try {
    state_ = std::make_unique<State>(look_at(found));
    state_->connection.execute("BEGIN");
    // The first query takes the lock that keeps this state to the end.
    state_->connection.answer("SELECT count(*) FROM sqlite_schema");
  } catch (const Corrupt& error) {
    refuse(found, std::string("be a sound SQLite file: ") + error.what());
  } catch (const Unavailable& error) {
    if (!holds_something(found + "-journal")) throw;
    throw Unavailable(found + ": a change to it was broken off, and only its own program may undo "
                              "that (there is a -journal beside it): " + error.what());
  }
}

ForeignFile::~ForeignFile() = default;

ForeignRows ForeignFile::rows(std::string_view table, const std::vector<std::string>& columns) {
  const std::string name(table);
  try {
    return ForeignRows(std::make_unique<ForeignRows::State>(*state_, name, columns,
                                                            select(*state_, name, columns)));
  } catch (const Corrupt& error) {
    refuse(state_->path, "have a sound table " + name + ": " + error.what());
  }
}

}  // namespace holdfast::storage
