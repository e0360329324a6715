#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <holdfast/core/error.h>
#include <holdfast/schedule/attempt.h>

/// Enumerators and the texts that they are stored as.
namespace holdfast::schedule {

template <class Enum, std::size_t Count>
std::string_view name_of(const std::array<std::string_view, Count>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < Count ? names[index] : "unknown";
}

template <class Enum, std::size_t Count>
Enum parse_name(std::string_view field, const std::array<std::string_view, Count>& names,
                std::string_view text) {
  std::string list;
  for (std::size_t i = 0; i < Count; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
    list += (i == 0 ? "" : i + 1 == Count ? " or " : ", ") + std::string(names[i]);
  }
  throw InvalidArgument(std::string(field), std::string(text), "be " + list);
}

AttemptState parse_attempt_state(std::string_view field, std::string_view text);
Effect parse_effect(std::string_view field, std::string_view text);

/// A stored name: what is wrong with it is damage, not somebody's input.
template <class Parse>
auto stored_name(std::string_view field, std::string_view text, Parse parse) {
  try {
    return parse(field, text);
  } catch (const InvalidArgument& error) {
    throw Corrupt(std::string("a scheduled event cannot be read: ") + error.what());
  }
}

}  // namespace holdfast::schedule
