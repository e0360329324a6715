#include "credentials.h"

#include <algorithm>
#include <array>
#include <string>

namespace holdfast::core {
namespace {

constexpr std::size_t kNameBytesLookedAt = 64;
constexpr std::size_t kGapBytesMax = 16;  // quotes, backslashes and blanks around a sign

/// Without case, `_` and `-`.
constexpr std::array<std::string_view, 13> kSecretNames = {
    "password",  "passwd",     "passphrase", "pwd",        "secret",        "token", "apikey",
    "secretkey", "accesskey",  "accountkey", "privatekey", "authorization", "cookie"};
constexpr std::array<std::string_view, 6> kLiterals = {"null", "true", "false",
                                                       "none", "nil",  "undefined"};

bool is_sign(char c) { return c == ':' || c == '=' || c == '>'; }
bool is_gap(char c) { return is_blank(c) || is_quote(c) || c == '\\' || c == ']'; }
bool is_argument_gap(char c) { return is_blank(c) || is_quote(c) || c == '\\' || c == ','; }
bool is_separator(char c) { return c == ',' || c == ';' || c == '&'; }
bool is_backslash(char c) { return c == '\\'; }
bool says_something(char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80U; }

std::string simple_form(std::string_view name) {
  std::string simple;
  for (const char c : name) {
    if (is_alnum(c)) simple += lower(c);
  }
  return simple;
}

bool is_secret_name(const std::string& simple) {
  return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&](std::string_view secret) { return simple.ends_with(secret); });
}

/// A quote with the backslashes before it: within JSON within a string it is \", one level deeper
/// it is \\\". Empty when the text does not begin with one.
std::string_view quote_at(std::string_view text) {
  const std::size_t backslashes = run_of(text.substr(0, kGapBytesMax), is_backslash);
  const bool is_there = backslashes < text.size() && is_quote(text[backslashes]);
  return is_there ? text.substr(0, backslashes + 1) : std::string_view();
}

/// Where the string that was opened by this quote is closed. Of the backslashes before a quote
/// within it, each of its own characters takes twice as many as there are quotes' levels.
std::size_t end_of_string(std::string_view text, std::size_t at, std::string_view quote) {
  const std::size_t level = quote.size();
  std::size_t backslashes = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == quote.back() && backslashes % (2 * level) == level - 1) {
      return at - (level - 1);
    }
    backslashes = text[at] == '\\' ? backslashes + 1 : 0;
  }
  return at;
}

/// Whether what stands here separates a value from the next pair, or from nothing at all.
bool ends_pair(std::string_view rest) {
  if (!is_separator(rest.front())) return false;
  rest.remove_prefix(1);
  const bool has_blank = !rest.empty() && is_space(rest.front());
  const std::size_t name = run_of(rest, is_word);
  return rest.empty() || has_blank ||
         (name > 0 && name < rest.size() && is_sign(rest[name]));
}

/// A quote within a word is part of it.
bool ends_word(std::string_view rest) {
  const std::string_view quote = quote_at(rest);
  return !quote.empty() && (rest.size() == quote.size() || !is_word(rest[quote.size()]));
}

std::size_t end_of_bare_value(std::string_view text, std::size_t at, bool is_json) {
  for (; at < text.size() && !is_space(text[at]); ++at) {
    const std::string_view rest = text.substr(at);
    if (is_json && (rest.front() == ',' || rest.front() == '}' || rest.front() == ']')) break;
    if (ends_pair(rest) || ends_word(rest)) break;
  }
  return at;
}

/// A header ends with its line, which in a string may be told by an escape, or with the quote that
/// opened before its name.
std::size_t end_of_header(std::string_view text, std::size_t at, char quote) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '\r' || (quote != '\0' && c == quote)) break;
    if (c == '\\' && at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == 'r')) break;
  }
  return at;
}

/// What is known of a pair up to its value.
struct Pair {
  std::string_view name;
  std::string_view name_quote{};  ///< what closes the name
  char opened_before = '\0';      ///< the quote in front of a bare name
  bool is_colon = false;
};

/// The pair's name, looking back from its sign.
Pair read_name(std::string_view text, std::size_t sign) {
  std::size_t end = sign;
  while (end > 0 && sign - end < kGapBytesMax && is_gap(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kNameBytesLookedAt && is_word(text[begin - 1])) --begin;
  Pair pair{.name = text.substr(begin, end - begin)};
  pair.name_quote = quote_at(text.substr(end, sign - end));
  if (begin > 0 && is_quote(text[begin - 1])) pair.opened_before = text[begin - 1];
  pair.is_colon = text[sign] == ':';
  return pair;
}

/// What tells by its beginning that it is none: so no long text is looked at again and again.
bool may_begin_secret(const std::string& simple_name, std::string_view value) {
  const bool is_folder = simple_name == "pwd" || simple_name == "oldpwd";  // a shell's
  return !value.starts_with(kMasked) && !(is_folder && value.starts_with('/'));
}

std::optional<Span> hidden_if_secret(std::string_view text, std::string_view name, Span value) {
  if (!is_secret(name, text.substr(value.begin, value.end - value.begin))) return std::nullopt;
  return value;
}

std::optional<Span> find_bare_value(std::string_view text, std::size_t at, const Pair& pair) {
  const bool is_json = !pair.name_quote.empty();
  const std::string name = simple_form(pair.name);
  const bool is_header =
      pair.is_colon && (name.ends_with("authorization") || name.ends_with("cookie"));
  const std::size_t scheme = scheme_length(text.substr(at));
  if (is_header && !is_json && scheme == 0) {
    const std::size_t end = end_of_header(text, at, pair.opened_before);
    return hidden_if_secret(text, pair.name, {at, end});
  }
  if (is_json && at < text.size() && (text[at] == '{' || text[at] == '[')) return std::nullopt;
  at += scheme;
  return hidden_if_secret(text, pair.name,
                          {at, end_of_bare_value(text, at, is_json), pair.name_quote});
}

/// The value that begins here, in quotes or bare.
std::optional<Span> find_value(std::string_view text, std::size_t at, const Pair& pair) {
  const std::string_view quote = quote_at(text.substr(at));
  at += quote.size();
  if (!may_begin_secret(simple_form(pair.name), text.substr(at))) return std::nullopt;
  if (quote.empty()) return find_bare_value(text, at, pair);
  const std::size_t end = end_of_string(text, at, quote);
  const std::size_t scheme = scheme_length(text.substr(at, end - at));
  return hidden_if_secret(text, pair.name, {at + scheme, end});
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value) {
  const std::string simple = simple_form(name);
  if (!is_secret_name(simple) || !may_begin_secret(simple, value)) return false;
  if (std::none_of(value.begin(), value.end(), says_something)) return false;
  return std::none_of(kLiterals.begin(), kLiterals.end(), [&](std::string_view literal) {
    return value.size() == literal.size() && begins(value, literal);
  });
}

std::optional<Span> find_secret_pair(std::string_view text, std::size_t at) {
  if (text[at] != ':' && text[at] != '=') return std::nullopt;
  if (text.substr(at).starts_with("::")) return std::nullopt;  // Token::parse
  const Pair pair = read_name(text, at);
  if (!is_secret_name(simple_form(pair.name))) return std::nullopt;
  at += run_of(text.substr(at, 3), is_sign);
  at += run_of(text.substr(at, kGapBytesMax), is_blank);
  return find_value(text, at, pair);
}

std::optional<Span> find_secret_option(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with("--")) return std::nullopt;
  const std::size_t name = run_of(rest.substr(0, kNameBytesLookedAt), is_word);
  if (!is_secret_name(simple_form(rest.substr(0, name)))) return std::nullopt;
  const std::string_view gap =
      rest.substr(name, run_of(rest.substr(name, kGapBytesMax), is_argument_gap));
  // The value's own quote is the last one, behind a blank or a comma.
  const std::size_t blank = gap.find_last_of(" \t,");
  if (blank == std::string_view::npos) return std::nullopt;
  const std::size_t value = at + name + blank + 1;
  if (value < text.size() && text[value] == '-') return std::nullopt;
  return find_value(text, value, {.name = rest.substr(0, name)});
}

}  // namespace holdfast::core
