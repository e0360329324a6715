#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <holdfast/storage/statement.h>

namespace holdfast::storage {

/// A SELECT whose conditions depend on what the caller filters by. Every value is a bound
/// parameter; the text comes from the stores alone.
class Query {
 public:
  using Value = std::variant<std::int64_t, double, std::string, Uuid>;

  explicit Query(std::string select) : sql_(std::move(select)) {}
  /// Adds `condition` with AND (WHERE for the first); each `$` in it becomes the next parameter.
  template <class... Values>
  Query& where(std::string_view condition, const Values&... values) {
    (values_.push_back(to_value(values)), ...);
    return add_condition(condition, sizeof...(Values));
  }
  /// Like where(), for a value that differs from page to page, such as the time now: it is left
  /// out of the fingerprint.
  Query& where_now(std::string_view condition, Timestamp now) {
    untied_.push_back(values_.size());
    return where(condition, now);
  }
  /// Adds text after the conditions, with parameters likewise.
  template <class... Values>
  Query& append(std::string_view text, const Values&... values) {
    (values_.push_back(to_value(values)), ...);
    return add_text(text, sizeof...(Values));
  }
  const std::string& sql() const noexcept { return sql_; }
  void bind(Statement& statement) const;
  /// Text and values as one string: equal for equal queries, so that a cursor can be tied to one.
  std::string fingerprint() const;

 private:
  static Value to_value(std::int64_t value) { return value; }
  static Value to_value(std::size_t value) { return static_cast<std::int64_t>(value); }
  static Value to_value(double value) { return value; }
  static Value to_value(const std::string& value) { return value; }
  static Value to_value(std::string_view value) { return std::string(value); }
  static Value to_value(const Uuid& value) { return value; }
  template <class Tag>
  static Value to_value(const Id<Tag>& value) {
    return value.uuid;
  }
  static Value to_value(Timestamp value) { return to_us(value); }
  static Value to_value(Revision value) { return value.us; }
  Query& add_condition(std::string_view condition, std::size_t parameters);
  Query& add_text(std::string_view text, std::size_t parameters);

  std::string sql_;
  bool has_condition_ = false;
  std::vector<Value> values_;
  std::vector<std::size_t> untied_;  ///< values that do not make it another query
};

}  // namespace holdfast::storage
