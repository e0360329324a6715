#include <holdfast/journal/json_pointer.h>

#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

namespace holdfast::journal {

using nlohmann::json;

namespace {

/// An array index as RFC 6901 spells it: no sign, no leading zero.
std::optional<std::size_t> array_index(std::string_view part) {
  std::size_t index = 0;
  const char* end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data(), end, index);
  if (error != std::errc() || rest != end) return std::nullopt;
  if (part.size() > 1 && part.front() == '0') return std::nullopt;
  return index;
}

}  // namespace

std::variant<std::vector<std::string>, PointerError> read_pointer(std::string_view pointer) {
  if (!pointer.starts_with('/')) return PointerError{0, "be a JSON pointer that starts with '/'"};
  std::vector<std::string> path;
  for (std::size_t at = 0; at < pointer.size(); ++at) {
    if (pointer[at] == '/') {
      path.emplace_back();
    } else if (pointer[at] != '~') {
      path.back() += pointer[at];
    } else {
      const std::string_view escape = pointer.substr(at, 2);
      if (escape != "~0" && escape != "~1") {
        return PointerError{at, "be a JSON pointer, where '~' is written as ~0 and '/' as ~1"};
      }
      path.back() += escape == "~0" ? '~' : '/';
      ++at;
    }
  }
  return path;
}

std::vector<std::string> check_pointer(const std::string& field, const std::string& pointer) {
  auto path = read_pointer(pointer);
  if (const auto* error = std::get_if<PointerError>(&path)) {
    throw InvalidArgument(field, pointer,
                          error->rule + ("; see byte " + std::to_string(error->at + 1)));
  }
  if (!core::is_text(pointer)) throw InvalidArgument(field, pointer, "be UTF-8 without U+0000");
  return std::get<std::vector<std::string>>(std::move(path));
}

const json* value_at(const json& properties, const std::vector<std::string>& path) {
  const json* here = &properties;
  for (const std::string& part : path) {
    if (here->is_object()) {
      const auto member = here->find(part);
      if (member == here->end()) return nullptr;
      here = &*member;
    } else if (here->is_array()) {
      const auto index = array_index(part);
      if (!index || *index >= here->size()) return nullptr;
      here = &(*here)[*index];
    } else {
      return nullptr;
    }
  }
  return here;
}

}  // namespace holdfast::journal
