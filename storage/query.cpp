#include <holdfast/storage/query.h>

#include <algorithm>
#include <stdexcept>

namespace holdfast::storage {

Query& Query::add_condition(std::string_view condition, std::size_t parameters) {
  sql_ += has_condition_ ? " AND " : " WHERE ";
  has_condition_ = true;
  return add_text(condition, parameters);
}

Query& Query::add_text(std::string_view text, std::size_t parameters) {
  std::size_t number = values_.size() - parameters;
  for (const char c : text) {
    sql_ += c;
    if (c == '$') sql_ += std::to_string(++number);
  }
  if (number != values_.size()) {
    throw std::logic_error("parameters and values differ in: " + std::string(text));
  }
  return *this;
}

std::string Query::fingerprint() const {
  std::string text = sql_;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    text += '\n';
    if (std::find(untied_.begin(), untied_.end(), i) != untied_.end()) continue;
    const Value& value = values_[i];
    if (const auto* integer = std::get_if<std::int64_t>(&value)) text += std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) text += std::to_string(*real);
    // With its length, so that no text can pass for two values.
    if (const auto* string = std::get_if<std::string>(&value)) {
      text += std::to_string(string->size()) + ":" + *string;
    }
    if (const auto* id = std::get_if<Uuid>(&value)) text += to_string(*id);
  }
  return text;
}

void Query::bind(Statement& statement) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::visit([&](const auto& value) { statement.bind_at(static_cast<int>(i) + 1, value); },
               values_[i]);
  }
}

}  // namespace holdfast::storage
