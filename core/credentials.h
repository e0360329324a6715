#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast::core {

/// The part of a text that is to be hidden.
struct Span {
  std::size_t begin;
  std::size_t end;
  /// Set on both sides of what stands there then: a bare number in JSON becomes a string.
  std::string_view quote{};
};

/// The credential of a known form that begins at `at`, or, for a URL or an Authorization scheme,
/// whose surroundings do. What it looks at is bounded, unless it is found.
std::optional<Span> find_known_form(std::string_view text, std::size_t at);

/// The secret value of the pair whose `:` or `=` stands at `at`: name=value, "name":"value".
std::optional<Span> find_secret_pair(std::string_view text, std::size_t at);
/// The value of a command's option that begins at `at`: --password value.
std::optional<Span> find_secret_option(std::string_view text, std::size_t at);

/// Whether a value of that name is to be hidden: the name ends like a secret's (db_password,
/// X-Api-Key), and the value is no literal such as null, no mere punctuation and not hidden yet.
bool is_secret(std::string_view name, std::string_view value);

/// The length of a scheme of an Authorization header that has one word behind it, with the spaces
/// between them; 0 when the text begins with none.
std::size_t scheme_length(std::string_view text);

inline constexpr std::string_view kMasked = "[masked]";

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_alnum(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }
inline bool is_word(char c) { return is_alnum(c) || c == '_' || c == '-'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }
inline bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/// ASCII letters of either case are alike.
bool begins(std::string_view text, std::string_view with);
/// How many characters at the start of the text are of a kind.
std::size_t run_of(std::string_view text, bool (*is_part)(char));

}  // namespace holdfast::core
