#include <holdfast/exchange/import.h>

#include <holdfast/core/error.h>
#include <holdfast/exchange/jsonl.h>

namespace holdfast::exchange {

std::string_view to_string(OnConflict on_conflict) {
  return on_conflict == OnConflict::keep ? "keep" : "fail";
}

OnConflict parse_on_conflict(std::string_view field, std::string_view text) {
  for (const auto each : {OnConflict::keep, OnConflict::fail}) {
    if (text == to_string(each)) return each;
  }
  throw InvalidArgument(std::string(field), std::string(text), "be keep or fail");
}

std::string_view to_string(ImportMode mode) {
  switch (mode) {
    case ImportMode::fail: return "fail";
    case ImportMode::skip: return "skip";
    case ImportMode::replace: return "replace";
  }
  return "";
}

ImportMode parse_import_mode(std::string_view field, std::string_view text) {
  for (const auto each : {ImportMode::fail, ImportMode::skip, ImportMode::replace}) {
    if (text == to_string(each)) return each;
  }
  throw InvalidArgument(std::string(field), std::string(text), "be fail, skip or replace");
}

}  // namespace holdfast::exchange
