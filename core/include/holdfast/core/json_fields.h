#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>

/// Reads a row's fields from a JSON document. Every mismatch is an InvalidArgument that names the
/// field and what it held; nothing is converted in silence.
namespace holdfast::core {

/// What naming a field in a document means.
enum class Fields {
  set,    ///< the field becomes the value; `properties` is replaced whole
  patch,  ///< a merge patch (RFC 7396): null clears, `properties` is patched member by member
};

/// One field: `apply` takes the value's JSON text.
struct Field {
  std::string_view name;
  std::function<void(const JsonMember&)> apply;
};
/// Applies each member of `document` to the field of its name; a name that is not there is an
/// error that lists those that are.
void apply_fields(const JsonObject& document, const std::vector<Field>& fields);

std::string string_field(const JsonMember& member);
std::optional<std::string> optional_string_field(const JsonMember& member);
std::vector<std::string> string_list_field(const JsonMember& member);  ///< null is the empty list
std::int64_t integer_field(const JsonMember& member);
double real_field(const JsonMember& member);
bool boolean_field(const JsonMember& member);
/// An integer of microseconds or a string in RFC 3339.
std::optional<Timestamp> optional_time_field(const JsonMember& member);
/// The objects of an array.
std::vector<JsonObject> object_list_field(const JsonMember& member);
/// An id as 36 characters.
Uuid id_field(const JsonMember& member);
/// The same, or absent for null.
template <class SomeId>
std::optional<SomeId> optional_id_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  return SomeId{id_field(member)};
}
/// `set` takes an object, or null for the empty one; `patch` merges into `current`.
JsonObject object_field(const JsonMember& member, Fields mode, const JsonObject& current);

}  // namespace holdfast::core
