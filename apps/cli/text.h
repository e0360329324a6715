#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Text for terminals: nothing that a stored name or content holds can move the cursor, hide text
/// or end a line.
namespace holdfast::cli {

enum class Lines { one, many };

/// The text with control characters, bidirectional overrides and malformed bytes spelled out, as
/// `\n` or `\x1b`; with Lines::many, line ends stay.
std::string printable(std::string_view text, Lines lines = Lines::one);
/// Malformed bytes and NUL become U+FFFD, so that the text can stand in JSON.
std::string valid_utf8(std::string_view text);
/// The text as a JSON string, valid_utf8() first.
std::string json_string(std::string_view text);
/// "[a,b]" of texts that are JSON already.
std::string json_array(const std::vector<std::string>& items);

/// Columns that a terminal gives the text.
std::size_t columns(std::string_view text);
/// At most `columns_max` columns, ending in "..." when something was cut.
std::string shortened(std::string_view text, std::size_t columns_max);
/// 1,234,567
std::string grouped(std::uint64_t number);
/// "1 edge", "2 edges"
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

enum class Align { left, right };

/// Rows under headings, each column as wide as its widest cell. Cells are made printable.
class Table {
 public:
  struct Column {
    std::string heading;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Names with their values, one a line, indented by two; further lines of a value stand below it.
class FieldList {
 public:
  FieldList& add(std::string name, std::string_view value);
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace holdfast::cli
