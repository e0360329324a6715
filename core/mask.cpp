#include <holdfast/core/mask.h>

#include <algorithm>
#include <array>

#include "utf8.h"

namespace holdfast::core {
namespace {

constexpr std::string_view kMasked = "[masked]";

/// Tokens that are known by how they begin, and the least number of bytes behind that.
struct Prefix {
  std::string_view text;
  std::size_t least;
};
constexpr std::array<Prefix, 24> kPrefixes = {{
    {"sk-", 12},    {"pk_live_", 8}, {"sk_live_", 8}, {"rk_live_", 8}, {"ghp_", 16},
    {"gho_", 16},   {"ghu_", 16},    {"ghs_", 16},    {"ghr_", 16},    {"github_pat_", 16},
    {"glpat-", 12}, {"AKIA", 12},    {"ASIA", 12},    {"AIza", 20},    {"xoxa-", 10},
    {"xoxb-", 10},  {"xoxe-", 10},   {"xoxo-", 10},   {"xoxp-", 10},   {"xoxr-", 10},
    {"xoxs-", 10},  {"hf_", 20},     {"npm_", 20},    {"pypi-", 20},
}};
constexpr std::array<std::string_view, 11> kSecretNames = {
    "password", "passwd", "pwd",        "secret",      "token",        "api_key",
    "api-key",  "apikey", "access_key", "private_key", "authorization"};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool is_word(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_token(char c) {
  return is_word(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~' || c == '%';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_blank(char c) {
  return c == ' ';
}
bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}
bool is_quoting(char c) {
  return c == '"' || c == '\'' || c == '\\';
}
bool is_jwt(char c) {
  return is_word(c) || c == '.';
}
bool is_label(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ';
}
bool is_backslash(char c) {
  return c == '\\';
}

bool begins(std::string_view text, std::string_view with) {
  if (text.size() < with.size()) return false;
  return std::equal(with.begin(), with.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && begins(text.substr(text.size() - with.size()), with);
}

std::size_t run_of(std::string_view text, bool (*is_part)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  return static_cast<std::size_t>(end - text.begin());
}

/// One pass over a text; each rule either takes the text at the place, or leaves it to the next.
class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) {}

  std::string run() {
    // One byte more than is kept: the cut has to see whether a character ends there.
    while (at_ < text_.size() && out_.size() <= kMaskedBytesMax) {
      if (take_private_key() || take_url_password()) continue;
      const bool begins_word = at_ == 0 || !is_word(text_[at_ - 1]);
      if (begins_word && (take_scheme(false) || take_known() || take_jwt() || take_pair())) {
        continue;
      }
      out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void copy(std::size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }
  void mask(std::size_t count) {
    out_ += kMasked;
    at_ += count;
  }

  bool take_private_key() {
    constexpr std::string_view kBegin = "-----BEGIN ";
    if (!rest().starts_with(kBegin)) return false;
    const std::string_view behind = rest().substr(kBegin.size(), 64);
    const std::string_view label = behind.substr(0, run_of(behind, is_label));
    if (label.find("PRIVATE KEY") == std::string_view::npos) return false;
    constexpr std::string_view kEnd = "-----END ";
    const auto end = rest().find(kEnd, kBegin.size());
    if (end == std::string_view::npos) {
      mask(rest().size());
      return true;
    }
    const auto last = rest().find("-----", end + kEnd.size());
    mask(last == std::string_view::npos ? rest().size() : last + 5);
    return true;
  }

  /// scheme://user:password@host
  bool take_url_password() {
    if (!rest().starts_with("://")) return false;
    const auto part = rest().substr(3);
    const auto end = part.find_first_of("/ \t\r\n\"'<>?#");
    const auto authority = part.substr(0, end);
    const auto sign = authority.rfind('@');
    const auto colon = authority.find(':');
    if (sign == std::string_view::npos || colon == std::string_view::npos || colon > sign) {
      return false;
    }
    copy(3 + colon + 1);
    // What has been masked already stays, whatever an `@` behind it may have come to mean.
    if (rest().starts_with(kMasked) && rest().substr(kMasked.size()).starts_with('@')) {
      copy(kMasked.size());
    } else {
      mask(sign - colon - 1);
    }
    return true;
  }

  /// "Bearer x", "Basic x". Outside a header either may begin an ordinary sentence.
  bool take_scheme(bool is_in_header) {
    const std::size_t scheme = scheme_of(rest());
    if (scheme == 0) return false;
    const std::string_view behind = rest().substr(scheme);
    if (behind.starts_with(kMasked)) {
      copy(scheme + kMasked.size());
      return true;
    }
    const std::size_t length = run_of(behind, is_token);
    if (length < 6 || !(is_in_header || looks_random(behind.substr(0, length)))) return false;
    copy(scheme);
    mask(length);
    return true;
  }

  static std::size_t scheme_of(std::string_view text) {
    for (const std::string_view scheme : {"bearer ", "basic "}) {
      if (begins(text, scheme)) return scheme.size();
    }
    return 0;
  }

  bool take_known() {
    for (const Prefix& prefix : kPrefixes) {
      if (!rest().starts_with(prefix.text)) continue;
      const std::size_t length = run_of(rest().substr(prefix.text.size()), is_word);
      if (length < prefix.least) return false;
      mask(prefix.text.size() + length);
      return true;
    }
    return false;
  }

  bool take_jwt() {
    if (at_ < no_jwt_before_ || !rest().starts_with("eyJ")) return false;
    const std::size_t length = run_of(rest(), is_jwt);
    const std::string_view token = rest().substr(0, length);
    if (length < 20 || std::count(token.begin(), token.end(), '.') < 2) {
      no_jwt_before_ = at_ + length;  // nor in what is left of it, which is not looked at again
      return false;
    }
    mask(length);
    return true;
  }

  /// name=value, name: value, "name":"value", the last also with its quotes escaped.
  bool take_pair() {
    const std::string_view text = rest();
    const std::size_t name = run_of(text, is_word);
    if (name == 0 || !is_secret(text.substr(0, name))) return false;
    std::size_t at = name;
    const auto skip = [&](bool (*is_part)(char)) { at += run_of(text.substr(at), is_part); };
    skip(is_quoting);
    skip(is_blank);
    if (at >= text.size() || (text[at] != '=' && text[at] != ':')) return false;
    ++at;
    skip(is_blank);
    const bool is_escaped = text.substr(at).starts_with('\\');
    skip(is_backslash);
    const bool is_quoted = at < text.size() && is_quoting(text[at]);
    const char quote = is_quoted ? text[at++] : '\0';
    if (text.substr(at).starts_with(kMasked)) return false;
    const bool is_header = ends(text.substr(0, name), "authorization");
    const std::size_t end = quote != '\0'
                                ? end_of_quoted(text, at, quote, is_escaped)
                                : at + run_of(text.substr(at), is_header ? in_line : in_value);
    if (end == at) return false;
    copy(at);
    mask_value(end - at, quote != '\0');
    return true;
  }

  /// The scheme says nothing, what follows it does.
  void mask_value(std::size_t length, bool is_quoted) {
    if (!is_quoted) {
      if (!take_scheme(true)) mask(length);
      return;
    }
    const std::size_t scheme = scheme_of(rest().substr(0, length - 1));
    copy(scheme);
    mask(length - scheme);
  }

  static bool in_line(char c) { return !is_line_end(c); }
  static bool in_value(char c) { return !is_space(c) && c != ',' && c != ';' && c != '&'; }

  static std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote,
                                   bool is_escaped) {
    while (at < text.size() && text[at] != quote && !(is_escaped && text[at] == '\\')) {
      at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
    }
    return std::min(at, text.size());
  }

  /// Has what words have not: a digit, capitals within, Base64's `=`, or great length.
  static bool looks_random(std::string_view token) {
    if (token.size() >= 24 || token.find('=') != std::string_view::npos) return true;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool is_capital = token[i] >= 'A' && token[i] <= 'Z';
      const bool is_behind_small = i > 0 && token[i - 1] >= 'a' && token[i - 1] <= 'z';
      if ((token[i] >= '0' && token[i] <= '9') || (is_capital && is_behind_small)) return true;
    }
    return false;
  }

  /// A name that ends like a secret's: db_password, X-Api-Key.
  static bool is_secret(std::string_view name) {
    return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                       [&](std::string_view secret) { return ends(name, secret); });
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t no_jwt_before_ = 0;
  std::string out_;
};

/// UTF-8 without NUL. First of all, so that every rule sees the text as it will be stored.
std::string storable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = first_utf8(text);
    const bool is_storable = next.bytes > 0 && next.code != 0;
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    out += is_storable ? text.substr(0, bytes) : std::string_view("?");
    text.remove_prefix(bytes);
  }
  return out;
}

/// Where a character ends.
std::string cut(std::string text) {
  if (text.size() <= kMaskedBytesMax) return text;
  std::size_t end = kMaskedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

}  // namespace

std::string mask_credentials(std::string_view text) {
  constexpr int kPassesMax = 8;
  std::string masked = storable(text);
  // A mask may bring together what then looks like a credential; two passes are the rule.
  for (int i = 0; i < kPassesMax; ++i) {
    std::string next = cut(Masker(masked).run());
    if (next == masked) break;
    masked = std::move(next);
  }
  return masked;
}

}  // namespace holdfast::core
