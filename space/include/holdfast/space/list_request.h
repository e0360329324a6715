#pragma once

// Thread safety: values and functions without state; any thread.

#include <string>
#include <variant>

#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/notes/note.h>
#include <holdfast/storage/page.h>

namespace holdfast {

/// One page of a list, or a count, as a value: it can be asked again later.
struct ListRequest {
  std::variant<EntityFilter, EdgeFilter, NoteFilter> filter{};
  bool is_count = false;
  PageRequest page{};  ///< not of a count

  /// Reads {"kind","filter","limit","cursor"} or {"kind","filter","count":true}; the members of
  /// "filter" are docs/plan.schema.json's. Throws InvalidArgument naming the member.
  static ListRequest parse(const JsonObject& document);
  /// Equal for equal requests. Times are microseconds, conditions on properties are text.
  std::string to_json() const;
};

}  // namespace holdfast
