#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::storage {

/// The rows of one table of a foreign file, one at a time, in the table's own order. Columns are
/// numbered from 0, as they were asked for.
///
/// A value of another type than the one asked for, or text that is not UTF-8 or holds NUL, is an
/// InvalidArgument whose field() reads "go_term row 17: definition", rows counted from 1.
/// Must not outlive its file. Thread safety: none.
class ForeignRows {
 public:
  struct State;
  explicit ForeignRows(std::unique_ptr<State> state);
  ForeignRows(ForeignRows&&) noexcept;
  ~ForeignRows();

  /// True while there is a row. Throws InvalidArgument when the file is damaged here.
  [[nodiscard]] bool next();

  std::int64_t integer(int column) const;
  std::optional<std::int64_t> integer_or_null(int column) const;
  std::string text(int column) const;
  std::optional<std::string> text_or_null(int column) const;

  /// The present row in words, "go_term row 17", and one of its columns.
  std::string place() const;
  std::string place(int column) const;

 private:
  std::unique_ptr<State> state_;
};

/// Another program's SQLite file, from which an importer reads one unchanging state. Nothing is
/// changed or made, neither the file nor anything beside it; while it is open its program can read
/// but may have to wait before it writes.
///
/// Thread safety: none.
class ForeignFile {
 public:
  struct State;
  /// Throws NotFound when there is nothing at `path`; InvalidArgument when that is no SQLite file,
  /// or a Holdfast database; Unavailable when it cannot be read, or only after its own program has
  /// ended a change that it has begun.
  explicit ForeignFile(const std::filesystem::path& path);
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;
  ~ForeignFile();

  /// Throws InvalidArgument naming the table or the column that the file does not have.
  ForeignRows rows(std::string_view table, const std::vector<std::string>& columns);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::storage
