#include <holdfast/core/mask.h>

#include <algorithm>
#include <array>

#include <holdfast/core/input.h>

namespace holdfast::core {
namespace {

constexpr std::string_view kMasked = "[masked]";

/// Tokens that are known by how they begin, and the least number of bytes behind that.
struct Prefix {
  std::string_view text;
  std::size_t least;
};
constexpr std::array<Prefix, 14> kPrefixes = {{
    {"sk-", 12},         {"pk_live_", 8},  {"sk_live_", 8}, {"rk_live_", 8}, {"ghp_", 16},
    {"gho_", 16},        {"ghu_", 16},     {"ghs_", 16},    {"ghr_", 16},    {"github_pat_", 16},
    {"glpat-", 12},      {"AKIA", 12},     {"ASIA", 12},    {"AIza", 20},
}};
constexpr std::array<std::string_view, 11> kSecretNames = {
    "password", "passwd", "pwd", "secret", "token", "api_key", "api-key", "apikey", "access_key",
    "private_key", "authorization"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_word(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_token(char c) {
  return is_word(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~' || c == '%';
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool begins(std::string_view text, std::string_view with) {
  if (text.size() < with.size()) return false;
  return std::equal(with.begin(), with.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
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
    while (at_ < text_.size() && out_.size() < kMaskedBytesMax) {
      if (take_private_key() || take_url_password()) continue;
      const bool begins_word = at_ == 0 || !is_word(text_[at_ - 1]);
      if (begins_word && (take_scheme() || take_known() || take_jwt() || take_pair())) continue;
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
    const std::string_view head = rest().substr(0, 64);
    if (head.find("PRIVATE KEY") == std::string_view::npos) return false;
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
    mask(sign - colon - 1);
    return true;
  }

  /// "Bearer x", "Basic x"
  bool take_scheme() {
    for (const std::string_view scheme : {"bearer ", "basic "}) {
      if (!begins(rest(), scheme)) continue;
      const std::size_t length = run_of(rest().substr(scheme.size()), is_token);
      if (length < 6) return false;
      copy(scheme.size());
      mask(length);
      return true;
    }
    return false;
  }

  bool take_known() {
    for (const Prefix& prefix : kPrefixes) {
      if (!rest().starts_with(prefix.text)) continue;
      const std::size_t length = run_of(rest().substr(prefix.text.size()), is_word);
      if (length < prefix.least) return false;
      mask(prefix.text.size() + length);
      return true;
    }
    // xoxb-, xoxp-, ...
    if (rest().starts_with("xox") && rest().size() > 5 && rest()[4] == '-') {
      mask(run_of(rest(), is_word));
      return true;
    }
    return false;
  }

  bool take_jwt() {
    if (!rest().starts_with("eyJ")) return false;
    const std::size_t length = run_of(rest(), is_token);
    const std::string_view token = rest().substr(0, length);
    if (length < 20 || std::count(token.begin(), token.end(), '.') < 2) return false;
    mask(length);
    return true;
  }

  /// name=value, name: value, "name":"value"
  bool take_pair() {
    const std::size_t name = run_of(rest(), is_word);
    if (name == 0 || !is_secret(rest().substr(0, name))) return false;
    std::size_t at = name;
    const std::string_view text = rest();
    if (at < text.size() && (text[at] == '"' || text[at] == '\'')) ++at;
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size() || (text[at] != '=' && text[at] != ':')) return false;
    ++at;
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size()) return false;
    const char quote = text[at] == '"' || text[at] == '\'' ? text[at] : '\0';
    if (quote != '\0') ++at;
    const std::size_t end = end_of_value(text, at, quote);
    if (end == at || text.substr(at).starts_with(kMasked)) return false;
    copy(at);
    // The scheme says nothing, what follows it does.
    if (!take_scheme()) mask(end - at);
    return true;
  }

  static std::size_t end_of_value(std::string_view text, std::size_t at, char quote) {
    std::size_t end = at;
    while (end < text.size()) {
      const char c = text[end];
      if (quote != '\0' ? c == quote : is_space(c) || c == ',' || c == ';' || c == '&') break;
      end += c == '\\' && quote != '\0' && end + 1 < text.size() ? 2 : 1;
    }
    return end;
  }

  /// A name that ends like a secret's: db_password, X-Api-Key.
  static bool is_secret(std::string_view name) {
    return std::any_of(kSecretNames.begin(), kSecretNames.end(), [&](std::string_view secret) {
      return name.size() >= secret.size() &&
             begins(name.substr(name.size() - secret.size()), secret);
    });
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

/// Cut where a character ends, and made storable.
std::string storable(std::string text) {
  if (text.size() > kMaskedBytesMax) {
    std::size_t end = kMaskedBytesMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
  }
  if (is_text(text)) return text;
  for (char& c : text) {
    if (c == '\0' || static_cast<unsigned char>(c) >= 0x80U) c = '?';
  }
  return text;
}

}  // namespace

std::string mask_credentials(std::string_view text) { return storable(Masker(text).run()); }

}  // namespace holdfast::core
