#include "credentials.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace holdfast::core {
namespace {

/// How much of a token is looked at to tell whether it is one.
constexpr std::size_t kHeadBytes = 512;

/// Tokens that are known by how they begin, and the least number of bytes behind that.
struct Prefix {
  std::string_view text;
  std::size_t least;
};
constexpr std::array<Prefix, 15> kPrefixes = {{
    {"pk_live_", 8}, {"sk_live_", 8}, {"rk_live_", 8}, {"ghp_", 16},        {"gho_", 16},
    {"ghu_", 16},    {"ghs_", 16},    {"ghr_", 16},    {"github_pat_", 16}, {"glpat-", 12},
    {"AKIA", 12},    {"ASIA", 12},    {"AIza", 20},    {"npm_", 24},        {"hf_", 24},
}};
constexpr std::array<std::string_view, 6> kSchemes = {"bearer", "basic",     "token",
                                                      "apikey", "negotiate", "ntlm"};

bool is_token(char c) {
  return is_word(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~' || c == '%';
}
bool is_label(char c) { return c == ' ' || (is_alnum(c) && lower(c) != c) || is_digit(c); }
bool is_dotted(char c) { return is_word(c) || c == '.'; }

bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

/// Words joined by hyphens have no stretch this long without one.
bool is_opaque(std::string_view token) {
  for (std::size_t at = 0; at < token.size(); ++at) {
    const std::string_view stretch = token.substr(at, run_of(token.substr(at), is_alnum));
    if (stretch.size() >= 20 || (stretch.size() >= 12 && has_digit(stretch))) return true;
    at += stretch.size();
  }
  return false;
}

int sextet(char c) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// Whether this is user:password in base64. Plain words decode too, but hardly ever to text.
bool is_user_and_password(std::string_view word) {
  while (word.ends_with('=')) word.remove_suffix(1);
  bool has_colon = false;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : word) {
    const int value = sextet(c);
    if (value < 0) return false;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const std::uint32_t byte = (bits >> count) & 0xFFU;
    if (byte < 0x20 || byte == 0x7F) return false;
    has_colon = has_colon || byte == ':';
  }
  return has_colon;
}

std::optional<Span> find_private_key(std::string_view text, std::size_t at) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kEnd = "-----END ";
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(kBegin)) return std::nullopt;
  const std::string_view head = rest.substr(kBegin.size(), 64);
  const std::string_view label = head.substr(0, run_of(head, is_label));
  if (label.find("PRIVATE KEY") == std::string_view::npos) return std::nullopt;
  const auto end = rest.find(kEnd, kBegin.size());
  if (end == std::string_view::npos) return Span{at, text.size()};
  const auto last = rest.find("-----", end + kEnd.size());
  return Span{at, last == std::string_view::npos ? text.size() : at + last + 5};
}

/// The password of scheme://user:password@host
std::optional<Span> find_url_password(std::string_view text, std::size_t at) {
  constexpr std::string_view kBegin = "://";
  if (!text.substr(at).starts_with(kBegin)) return std::nullopt;
  at += kBegin.size();
  const std::string_view part = text.substr(at);
  const std::string_view authority = part.substr(0, part.find_first_of("/ \t\r\n\"'<>?#"));
  const auto sign = authority.rfind('@');
  const auto colon = authority.find(':');
  if (sign == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= sign) {
    return std::nullopt;
  }
  return Span{at + colon + 1, at + sign};
}

/// "Bearer x" and "Basic x" where nothing says that this is a header.
std::optional<Span> find_scheme(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool is_basic = begins(rest, "basic");
  if (!is_basic && !begins(rest, "bearer")) return std::nullopt;
  const std::size_t scheme = scheme_length(rest);
  if (scheme == 0) return std::nullopt;
  const std::size_t length = run_of(rest.substr(scheme), is_token);
  const std::string_view word = rest.substr(scheme, std::min(length, kHeadBytes));
  const bool is_plain = word.size() < 20 && !has_digit(word);
  if (is_basic ? !is_user_and_password(word) : is_plain) return std::nullopt;
  return Span{at + scheme, at + scheme + length};
}

/// Behind xoxb-, xoxp- and so on there is a number; "xoxo-" may also be a greeting.
bool begins_slack_token(std::string_view text) {
  return text.starts_with("xox") && text.size() > 5 && text[4] == '-' && is_digit(text[5]);
}

bool begins_known_token(std::string_view head) {
  if (begins_slack_token(head)) return true;
  if (head.starts_with("sk-")) return is_opaque(head.substr(3, run_of(head.substr(3), is_word)));
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const Prefix& prefix) {
    return head.starts_with(prefix.text) &&
           run_of(head.substr(prefix.text.size()), is_word) >= prefix.least;
  });
}

/// A JSON object in base64, and a dot behind it.
bool begins_jwt(std::string_view head) {
  if (!head.starts_with("eyJ")) return false;
  const std::size_t header = run_of(head, is_word);
  return header >= 12 && header < head.size() && head[header] == '.' &&
         run_of(head.substr(header), is_dotted) >= 4;
}

}  // namespace

bool begins(std::string_view text, std::string_view with) {
  return text.size() >= with.size() &&
         std::equal(with.begin(), with.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::size_t run_of(std::string_view text, bool (*is_part)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  return static_cast<std::size_t>(end - text.begin());
}

std::size_t scheme_length(std::string_view text) {
  for (const std::string_view scheme : kSchemes) {
    if (!begins(text, scheme)) continue;
    const std::size_t blanks = run_of(text.substr(scheme.size(), 8), is_blank);
    if (blanks > 0) return scheme.size() + blanks;
  }
  return 0;
}

std::optional<Span> find_known_form(std::string_view text, std::size_t at) {
  if (const auto key = find_private_key(text, at)) return key;
  if (const auto password = find_url_password(text, at)) return password;
  if (at > 0 && is_alnum(text[at - 1])) return std::nullopt;
  if (const auto scheme = find_scheme(text, at)) return scheme;
  const std::string_view rest = text.substr(at);
  const std::string_view head = rest.substr(0, kHeadBytes);
  if (begins_known_token(head)) return Span{at, at + run_of(rest, is_word)};
  if (begins_jwt(head)) return Span{at, at + run_of(rest, is_dotted)};
  return std::nullopt;
}

}  // namespace holdfast::core
