#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

namespace holdfast::exchange {

/// Longest line of a source: a note at its limit, every character escaped, leaves room.
inline constexpr std::size_t kLineBytesMax = 16U << 20;

/// Reads a file line by line and says where something is wrong in it. Memory: one line.
/// Throws NotFound, Unavailable; InvalidArgument for a line over the limit. Thread safety: none.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path file);

  /// False after the last line. What follows the last newline is a line unless it is empty.
  bool next();
  const std::string& text() const { return text_; }  ///< without its newline
  std::size_t line() const { return line_; }         ///< from 1; 0 before the first

  /// Throws InvalidArgument for the text at `column` (from 1) of this line.
  [[noreturn]] void refuse(std::size_t column, std::string_view field, std::string_view value,
                           std::string rule) const;
  /// The same for what was found wrong in the JSON text that begins at `offset` of this line: its
  /// column is that of the field's value, or where the parser stopped.
  [[noreturn]] void refuse(const InvalidArgument& found, std::size_t offset = 0) const;

 private:
  bool fill();

  std::filesystem::path file_;
  std::ifstream in_;
  std::string buffer_;
  std::size_t at_ = 0;  ///< in the buffer: what was not handed out yet
  std::string text_;
  std::size_t line_ = 0;
};

/// Where the value of a field stands in a line's JSON text, counted from 1: a member of the object
/// in the outermost one, else of that, else of an event's body. 1 when it is not there.
std::size_t column_of(std::string_view text, std::string_view field);

/// Where the text, which is not all text, goes wrong, counted from 1: a byte that is not UTF-8, or
/// an escaped NUL.
std::size_t first_bad_byte(std::string_view text);

/// Where the object that begins at `from` ends, one past its brace; npos when it does not.
std::size_t end_of_object(std::string_view text, std::size_t from);

}  // namespace holdfast::exchange
