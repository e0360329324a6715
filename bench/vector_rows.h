#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <sqlite3.h>

namespace holdfast::bench {

/// Float vectors in a table as the store keeps them, read one by one by primary key.
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
  /// Until the next call.
  std::span<const float> read(std::size_t number);

 private:
  void insert(const std::vector<float>& rows);
  void execute(const char* sql);
  void bind_key(sqlite3_stmt* statement, std::size_t number);

  std::size_t dimension_;
  std::vector<float> row_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* read_ = nullptr;
};

}  // namespace holdfast::bench
