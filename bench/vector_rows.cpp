#include "vector_rows.h"

#include <array>
#include <cstring>
#include <string>

#include "support.h"

namespace holdfast::bench {
namespace {

/// Ids that lie anywhere, as version 4 ids do.
std::array<std::uint64_t, 2> id_of(std::size_t number) {
  const std::uint64_t scattered = (number + 1) * 0x9e3779b97f4a7c15U;
  return {scattered, ~scattered};
}

}  // namespace

VectorRows::VectorRows(const std::filesystem::path& database, const std::vector<float>& rows,
                       std::size_t dimension)
    : dimension_(dimension), row_(dimension) {
  require(sqlite3_open(database.c_str(), &db_) == SQLITE_OK, "the rows' database");
  for (const char* sql :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -65536",
        "CREATE TABLE vectors (number INTEGER PRIMARY KEY, space TEXT NOT NULL, name TEXT NOT "
        "NULL, generation INTEGER NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL, chunk INTEGER "
        "NOT NULL, vector BLOB NOT NULL, UNIQUE (space, name, generation, kind, id, chunk)) STRICT",
        "BEGIN"}) {
    execute(sql);
  }
  insert(rows);
  execute("COMMIT");
  execute("PRAGMA wal_checkpoint(TRUNCATE)");
  by_key_ = prepare(
      "SELECT vector FROM vectors WHERE space = 'bench' AND name = 'model' AND generation = 1 AND "
      "kind = 'entity' AND id = ?1 AND chunk = 0");
  by_number_ = prepare("SELECT vector FROM vectors WHERE number = ?1");
}

VectorRows::~VectorRows() {
  sqlite3_finalize(by_key_);
  sqlite3_finalize(by_number_);
  sqlite3_close(db_);
}

void VectorRows::execute(const char* sql) {
  require(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
}

void VectorRows::bind_key(sqlite3_stmt* statement, std::size_t number) {
  const auto id = id_of(number);
  sqlite3_bind_blob(statement, 1, id.data(), sizeof id, SQLITE_TRANSIENT);
}

sqlite3_stmt* VectorRows::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  require(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
  return statement;
}

void VectorRows::insert(const std::vector<float>& rows) {
  sqlite3_stmt* const insert =
      prepare("INSERT INTO vectors VALUES (?3, 'bench', 'model', 1, 'entity', ?1, 0, ?2)");
  for (std::size_t i = 0; i < rows.size() / dimension_; ++i) {
    bind_key(insert, i);
    sqlite3_bind_blob(insert, 2, rows.data() + i * dimension_,
                      static_cast<int>(dimension_ * sizeof(float)), SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, static_cast<sqlite3_int64>(i));
    require(sqlite3_step(insert) == SQLITE_DONE, "inserting a row");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
}

void VectorRows::begin() { execute("BEGIN"); }
void VectorRows::end() { execute("COMMIT"); }

std::span<const float> VectorRows::read_by_key(std::size_t number) {
  bind_key(by_key_, number);
  return step(by_key_);
}

std::span<const float> VectorRows::read_by_number(std::size_t number) {
  sqlite3_bind_int64(by_number_, 1, static_cast<sqlite3_int64>(number));
  return step(by_number_);
}

std::span<const float> VectorRows::step(sqlite3_stmt* statement) {
  require(sqlite3_step(statement) == SQLITE_ROW, "a row is missing");
  require(sqlite3_column_bytes(statement, 0) == static_cast<int>(dimension_ * sizeof(float)),
          "a row's length");
  std::memcpy(row_.data(), sqlite3_column_blob(statement, 0), dimension_ * sizeof(float));
  sqlite3_reset(statement);
  return row_;
}

}  // namespace holdfast::bench
