#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules every piece of text from outside must pass, and the form in which it is stored. Each
/// refusal is an InvalidArgument that names the field, the value and the limit.
namespace holdfast::core {

/// Names, kinds, relations, keys, tags: 1 to 1,024 bytes of UTF-8 without NUL, returned as NFC (the
/// limit holds before and after).
std::string check_name(std::string_view field, std::string_view text);
/// Note content: up to 1 MiB of UTF-8 without NUL, kept verbatim.
void check_content(std::string_view field, std::string_view text);
/// Space names: 1 to 64 bytes of NFC UTF-8 without control characters.
std::string check_space_name(std::string_view text);
/// Actor: 1 to 256 bytes of UTF-8 without control characters, as NFC.
std::string check_actor(std::string_view text);
/// Request ids: 1 to 256 bytes of UTF-8 without control characters, kept verbatim.
std::string check_request_id(std::string_view text);
/// Up to 256 tags, each a name; repeated tags are dropped, order is kept.
std::vector<std::string> check_tags(std::string_view field, const std::vector<std::string>& tags);
void check_finite(std::string_view field, double value);
/// A page limit: 1 to 10,000.
void check_limit(std::string_view field, std::size_t limit);

/// Tags as they are stored: a JSON array of strings.
std::string tags_to_json(const std::vector<std::string>& tags);
/// Reads what tags_to_json() wrote. Throws Corrupt on anything else.
std::vector<std::string> tags_from_json(std::string_view json);

/// True for well-formed UTF-8 without NUL.
bool is_text(std::string_view text);
/// The smallest text above every text that begins with `prefix`, in byte order; empty when there
/// is none. Makes a prefix a range, which both backends can use an index for. Throws
/// InvalidArgument when `prefix` is not text.
std::string prefix_end(std::string_view prefix);

}  // namespace holdfast::core
