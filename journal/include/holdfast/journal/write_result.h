#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>

namespace holdfast {

/// What a writer read: the row's revision and deletion mark. A write lands only while both hold.
struct Expected {
  Revision revision{};
  std::optional<Timestamp> deleted_at{};
};

/// How a write ended. Everything but `applied` and `absorbed` wrote nothing.
enum class Outcome {
  applied,
  absorbed,            ///< retarget: a live edge, `current`, holds there; the moved one is deleted
  unchanged,           ///< it asked for what is there already
  exists,              ///< insert: the id is taken, maybe by a deleted row
  key_taken,           ///< a live row has the unique key; it is `current`
  missing,             ///< no row of this id
  revision_moved,      ///< somebody has written since the row was read
  deletion_changed,    ///< somebody has deleted or restored it since
  not_advanced,        ///< the new revision is not above the one read
  endpoint_missing,    ///< an entity that the row refers to is absent or deleted
  loop_refused,        ///< source and target are one entity, and the relation does not allow it
  relation_undeclared, ///< the space demands declared relations
  overlaps,            ///< the same triple holds already in part of that time; it is `current`
  kind_refused,        ///< the relation does not link entities of these kinds
  in_use,              ///< a declaration that rows depend on cannot change in this way
  still_live,          ///< purge: only a deleted row can be purged
  purged,              ///< the row was purged, and its id is never used again
  held,                ///< an expectation of a plan that is met
  neighborhood_moved,  ///< an expectation: an edge at the entity has changed since
  key_moved,           ///< an expectation: the key leads to another entity, `current`, or to none
  list_moved,          ///< an expectation: the list or count now answers otherwise
  not_pending,         ///< a scheduled event that has ended cannot be cancelled
  not_evaluated,       ///< a step of a plan that rests on one that was refused
};
std::string_view to_string(Outcome outcome);
/// Throws InvalidArgument naming `field` for a text that is no outcome's.
Outcome parse_outcome(std::string_view field, std::string_view text);

/// The answer of a guarded write.
template <class Row>
struct [[nodiscard]] WriteResult {
  Outcome outcome = Outcome::missing;
  /// The row as it now is: after an applied write the new one, after a conflict the one in the way.
  std::optional<Row> current;
  Sequence seq = 0;                ///< of the event that was appended; 0 when none was
  std::string request_id;          ///< in that event
  std::vector<EntityId> missing;   ///< with endpoint_missing: which
  std::vector<EdgeId> edges;       ///< that were deleted, or came back, with this entity
  /// Restoring an entity: edges that stay deleted because their other end is; restoring that one
  /// brings them back.
  std::vector<EdgeId> handed_over;
  /// Restoring an entity: edges that stay deleted because another live edge has their place, or
  /// their relation no longer allows them.
  std::vector<EdgeId> kept_out;
  /// Projections that follow the journal and have yet to take this write in, by name. Those that
  /// are kept in the transaction, such as keys, have it.
  std::vector<std::string> pending{};
  /// Vectors that came with the write were stored, with the row or beside one that is unchanged.
  bool gave_vectors = false;
  /// The request had been applied before: this is its answer, and nothing was written now.
  bool repeated = false;
  bool applied() const { return outcome == Outcome::applied; }
  /// True when something was written.
  bool wrote() const { return applied() || outcome == Outcome::absorbed || gave_vectors; }
};

}  // namespace holdfast
