#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/revision.h>
#include <holdfast/journal/filter.h>

namespace holdfast {

/// A node: something that facts are about.
struct Entity {
  EntityId id;                 ///< nil in a new entity: one is made
  std::string kind;
  std::string name;            ///< need not be unique
  JsonObject properties;
  std::vector<std::string> tags{};
  std::optional<EntityId> merged_into{};  ///< the entity that took this one's place
  Timestamp created_at;
  Revision revision;
  std::optional<Timestamp> deleted_at{};  ///< absent while live
  Sequence seq = 0;                     ///< of its last change
  bool operator==(const Entity&) const = default;
};

struct EntityFilter : RowFilter {
  std::optional<std::string> kind{};
  std::optional<std::string> name{};         ///< exact, as NFC
  std::optional<std::string> name_prefix{};  ///< with either of these, the order is (name, id)
  std::vector<std::string> tags_any{};     ///< at least one of them, as NFC, when there are any
  std::vector<std::string> tags_all{};     ///< each of them
};

}  // namespace holdfast
