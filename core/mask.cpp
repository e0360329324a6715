#include <holdfast/core/mask.h>

#include <utility>

#include "credentials.h"
#include "member_reader.h"
#include "utf8.h"

namespace holdfast::core {
namespace {

/// Masks shorten a text, so more than is kept has to be looked at, but not all of it. What is kept
/// begins well before the end of that, so that no credential is met by its first half alone.
constexpr std::size_t kLookedAtBytes = 16 * 1024;
constexpr std::size_t kBeginsBefore = 12 * 1024;

std::optional<Span> find_credential(std::string_view text, std::size_t at) {
  if (const auto form = find_known_form(text, at)) return form;
  if (const auto pair = find_secret_pair(text, at)) return pair;
  return find_secret_option(text, at);
}

/// One pass: at each place the text either has a credential or is copied.
std::string hide_credentials(std::string_view text) {
  const std::size_t end = text.size() > kLookedAtBytes ? kBeginsBefore : text.size();
  text = text.substr(0, kLookedAtBytes);
  std::string out;
  constexpr std::size_t kEnough = kMaskedBytesMax + 4;  // the last character is whole
  for (std::size_t at = 0; at < end && out.size() < kEnough;) {
    const auto hidden = find_credential(text, at);
    if (!hidden) {
      out += text[at++];
      continue;
    }
    out.append(text.substr(at, hidden->begin - at));
    out.append(hidden->quote).append(kMasked).append(hidden->quote);
    at = hidden->end;
  }
  return out;
}

/// Cut where a character ends, and only of characters that can be stored.
std::string storable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character next = first_utf8(text);
    const bool is_kept = next.bytes != 0 && next.code != 0;
    const std::size_t taken = is_kept ? next.bytes : 1;
    if (out.size() + taken > kMaskedBytesMax) break;
    out.append(is_kept ? text.substr(0, taken) : std::string_view("?"));
    text.remove_prefix(taken);
  }
  return out;
}

void append_masked_string(std::string& out, std::string_view key, std::string_view literal) {
  const std::string text = unescaped(literal);
  const std::string masked = is_secret(key, text) ? std::string(kMasked) : mask_credentials(text);
  if (masked == text) {
    out.append(literal);
  } else {
    append_json_string(out, masked);
  }
}

/// `key` is that of the member whose value this is, or is an element of.
void append_masked(std::string& out, std::string_view key, std::string_view value) {
  const std::size_t opened_at = out.size();
  const auto separate = [&] {
    if (out.size() > opened_at + 1) out += ',';
  };
  if (value.front() == '"') {
    append_masked_string(out, key, value);
  } else if (value.front() == '{') {
    out += '{';
    MemberReader members(value);
    for (Member member; members.next(member);) {
      separate();
      out.append(member.literal) += ':';
      append_masked(out, unescaped(member.literal), member.value);
    }
    out += '}';
  } else if (value.front() == '[') {
    out += '[';
    MemberReader elements(value);
    for (std::string_view element; elements.next_element(element);) {
      separate();
      append_masked(out, key, element);
    }
    out += ']';
  } else if (is_secret(key, value)) {
    append_json_string(out, kMasked);
  } else {
    out.append(value);
  }
}

}  // namespace

std::string mask_credentials(std::string_view text) {
  constexpr int kPassesMax = 8;
  std::string masked = storable(hide_credentials(text));
  // A mask may bring together what then looks like a credential; a second pass seldom finds one.
  for (int i = 1; i < kPassesMax; ++i) {
    std::string again = storable(hide_credentials(masked));
    if (again == masked) break;
    masked = std::move(again);
  }
  return masked;
}

JsonObject mask_credentials(const JsonObject& object) {
  std::string out;
  append_masked(out, {}, object.text());
  return JsonObject::trusted(std::move(out));
}

}  // namespace holdfast::core
