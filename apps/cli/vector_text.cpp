#include "vector_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include <holdfast/core/error.h>

namespace holdfast::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads the text from its start. It is no part of a larger document, so that what is refused is
/// shown as it was typed, and nothing that stands behind the array becomes a member of anything.
class VectorText {
 public:
  VectorText(std::string_view field, std::string_view text) : field_(field), text_(text) {}

  Embedding read() {
    Embedding vector;
    expect('[');
    do {
      skip_space();
      vector.push_back(component(vector.size()));
      skip_space();
    } while (take(','));
    expect(']');
    skip_space();
    if (at_ < text_.size()) refuse();
    return vector;
  }

 private:
  [[noreturn]] void refuse() const {
    std::string rule = "be a JSON array of one or more numbers, such as [0.12,-3,4e-5]";
    if (!text_.empty()) rule += "; see byte " + std::to_string(at_ + 1);
    throw InvalidArgument(std::string(field_), std::string(text_), rule);
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    skip_space();
    if (!take(c)) refuse();
  }
  void skip_space() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }
  void digits() {
    if (!is_digit(next())) refuse();
    while (is_digit(next())) ++at_;
  }

  /// By JSON's grammar: no sign but a minus, no zero in front, digits on both sides of a point.
  std::string number() {
    const std::size_t from = at_;
    (void)take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('-')) (void)take('+');
      digits();
    }
    return std::string(text_.substr(from, at_ - from));
  }

  float component(std::size_t index) {
    const std::string text = number();
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    // What is too small for a double is zero, or nearly, and does no harm.
    if (end.ec == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(narrow)) return narrow;
    throw InvalidArgument(std::string(field_) + "[" + std::to_string(index) + "]", text,
                          "be a finite float32, of at most 3.4e38");
  }

  std::string_view field_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Embedding parse_vector(std::string_view field, std::string_view text) {
  return VectorText(field, text).read();
}

}  // namespace holdfast::cli
