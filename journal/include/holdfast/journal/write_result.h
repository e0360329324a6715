#pragma once

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
  Revision revision;
  std::optional<Timestamp> deleted_at;
};

/// How a write ended. Everything but `applied` wrote nothing.
enum class Outcome {
  applied,
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
  in_use,              ///< a declaration that rows depend on cannot change in this way
};
std::string_view to_string(Outcome outcome);

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
  bool applied() const { return outcome == Outcome::applied; }
};

}  // namespace holdfast
