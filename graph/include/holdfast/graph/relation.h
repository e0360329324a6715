#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>

namespace holdfast {

/// What a space has declared about edges of one relation. An undeclared relation is one-way and
/// without loops.
struct Relation {
  RelationId id;  ///< made from the name; need not be given
  std::string relation;
  bool symmetric = false;  ///< stored once, ends in the order of their ids; frozen once edges exist
  bool loops = false;      ///< source and target may be one entity
  /// Kinds of entities that may be at either end; absent: any. Equal for a symmetric relation.
  std::optional<std::vector<std::string>> source_kinds{};
  std::optional<std::vector<std::string>> target_kinds{};
  Timestamp created_at;
  Revision revision;
  std::optional<Timestamp> deleted_at{};
  Sequence seq = 0;
  bool operator==(const Relation&) const = default;
};

}  // namespace holdfast
