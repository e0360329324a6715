#include <holdfast/graph/key.h>

#include <utility>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/journal/json_pointer.h>

namespace holdfast {
namespace {

std::string json_string(std::string_view text) {
  std::string json;
  core::append_json_string(json, text);
  return json;
}

}  // namespace

KeyDeclaration check_key_declaration(const KeyDeclaration& declaration) {
  KeyDeclaration checked;
  checked.name = core::check_name("key", declaration.name);
  if (declaration.kind) checked.kind = core::check_name("kind", *declaration.kind);
  checked.path = declaration.path;
  if (checked.path == "name") return checked;
  if (!checked.path.starts_with('/')) {
    throw InvalidArgument("path", checked.path,
                          "be \"name\" or a JSON pointer into the properties, such as /email");
  }
  (void)core::check_name("path", checked.path);
  (void)journal::check_pointer("path", checked.path);
  return checked;
}

KeyDeclaration KeyDeclaration::parse(std::string_view name, const JsonObject& document) {
  KeyDeclaration declaration;
  declaration.name = name;
  core::apply_fields(
      document,
      {{"kind", [&](const JsonMember& m) { declaration.kind = core::optional_string_field(m); }},
       {"path", [&](const JsonMember& m) { declaration.path = core::string_field(m); }}});
  return check_key_declaration(declaration);
}

JsonObject KeyDeclaration::to_json() const {
  core::JsonWriter out;
  if (kind) out.string("kind", *kind);
  out.string("path", path);
  return JsonObject::trusted(out.finish());
}

KeyValue::KeyValue(std::string_view text) : json_(json_string(core::check_name("value", text))) {}

KeyValue::KeyValue(std::int64_t number) : json_(std::to_string(number)) {}

KeyValue KeyValue::parse(std::string_view field, std::string_view json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (value.is_string()) {
    try {
      return KeyValue(std::string_view(value.get_ref<const std::string&>()));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string(field), error.value(), error.rule());
    }
  }
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     std::in_range<std::int64_t>(value.get<std::uint64_t>()));
  if (fits) return KeyValue(value.get<std::int64_t>());
  throw InvalidArgument(std::string(field), std::string(json),
                        "be a JSON string of 1 to 1,024 bytes or an integer of 64 bits");
}

}  // namespace holdfast
