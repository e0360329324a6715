#include <holdfast/core/json_fields.h>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>

#include "member_reader.h"

namespace holdfast::core {
namespace {

using nlohmann::json;

json parse(const JsonMember& member) { return json::parse(member.value); }

[[noreturn]] void refuse(const JsonMember& member, const char* rule) {
  throw InvalidArgument(member.key, std::string(member.value), rule);
}

}  // namespace

void apply_fields(const JsonObject& document, const std::vector<Field>& fields) {
  for (const JsonMember& member : document.members()) {
    const Field* found = nullptr;
    std::string known;
    for (const Field& field : fields) {
      if (field.name == member.key) found = &field;
      known += (known.empty() ? "" : ", ") + std::string(field.name);
    }
    if (found == nullptr) {
      throw InvalidArgument(member.key, std::string(member.value),
                            "not be given: the fields are " + known);
    }
    found->apply(member);
  }
}

std::string string_field(const JsonMember& member) {
  const json value = parse(member);
  if (!value.is_string()) refuse(member, "be a string");
  return value.get<std::string>();
}

std::optional<std::string> optional_string_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  return string_field(member);
}

std::vector<std::string> string_list_field(const JsonMember& member) {
  const json value = parse(member);
  std::vector<std::string> list;
  if (value.is_null()) return list;
  if (!value.is_array()) refuse(member, "be an array of strings");
  for (const json& item : value) {
    if (!item.is_string()) refuse(member, "be an array of strings");
    list.push_back(item.get<std::string>());
  }
  return list;
}

std::int64_t integer_field(const JsonMember& member) {
  const json value = parse(member);
  if (!value.is_number_integer()) refuse(member, "be an integer");
  return value.get<std::int64_t>();
}

double real_field(const JsonMember& member) {
  const json value = parse(member);
  if (!value.is_number()) refuse(member, "be a number");
  return value.get<double>();
}

bool boolean_field(const JsonMember& member) {
  if (member.value == "true") return true;
  if (member.value != "false") refuse(member, "be true or false");
  return false;
}

std::optional<Timestamp> optional_time_field(const JsonMember& member) {
  if (member.value == "null") return std::nullopt;
  const json value = parse(member);
  if (value.is_number_integer()) return from_us(value.get<std::int64_t>());
  if (!value.is_string()) refuse(member, "be microseconds or RFC 3339");
  return parse_timestamp(member.key, value.get<std::string>());
}

std::vector<JsonObject> object_list_field(const JsonMember& member) {
  if (!member.value.starts_with('[')) refuse(member, "be an array of objects");
  std::vector<JsonObject> objects;
  MemberReader reader(member.value);
  for (std::string_view element; reader.next_element(element);) {
    if (!element.starts_with('{')) refuse(member, "be an array of objects");
    objects.push_back(JsonObject::trusted(std::string(element)));
  }
  return objects;
}

Uuid id_field(const JsonMember& member) { return parse_uuid(member.key, string_field(member)); }

JsonObject object_field(const JsonMember& member, Fields mode, const JsonObject& current) {
  if (member.value == "null") return {};
  JsonObject given = JsonObject::parse(member.key, member.value);
  return mode == Fields::set ? given : merge_patch(member.key, current, given);
}

}  // namespace holdfast::core
