#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <sqlite3.h>

namespace holdfast::bench {

/// Float vectors in a table, read one by one.
class VectorRows {
 public:
  VectorRows(const std::filesystem::path& database, const std::vector<float>& rows,
             std::size_t dimension);
  ~VectorRows();
  VectorRows(const VectorRows&) = delete;
  VectorRows& operator=(const VectorRows&) = delete;

  /// Around the reads of one search.
  void begin();
  void end();
  /// By the whole key of a vector. Until the next call.
  std::span<const float> read_by_key(std::size_t number);
  /// By an integer that is the table's primary key. Until the next call.
  std::span<const float> read_by_number(std::size_t number);

 private:
  void insert(const std::vector<float>& rows);
  void execute(const char* sql);
  sqlite3_stmt* prepare(const char* sql);
  void bind_key(sqlite3_stmt* statement, std::size_t number);
  std::span<const float> step(sqlite3_stmt* statement);

  std::size_t dimension_;
  std::vector<float> row_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* by_key_ = nullptr;
  sqlite3_stmt* by_number_ = nullptr;
};

}  // namespace holdfast::bench
