#include "member_reader.h"

#include <nlohmann/json.hpp>

#include <holdfast/core/json_text.h>

namespace holdfast {
namespace core {

std::string unescaped(std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos) {
    return std::string(literal.substr(1, literal.size() - 2));
  }
  const auto key = nlohmann::json::parse(literal, nullptr, false);
  if (!key.is_string()) throw Corrupt("stored JSON has a malformed key");
  return key.get<std::string>();
}

}  // namespace core

std::vector<JsonMember> JsonObject::members() const {
  std::vector<JsonMember> members;
  core::MemberReader reader(text_);
  for (core::Member member; reader.next(member);) {
    members.push_back({core::unescaped(member.literal), member.value});
  }
  return members;
}

}  // namespace holdfast
