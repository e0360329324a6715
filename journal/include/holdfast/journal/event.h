#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>

namespace holdfast {

/// One change of one row, as the journal keeps it for ever. The events of one (kind, id) form a
/// stream: each names its predecessor, so a fork is impossible.
struct Event {
  Sequence seq = 0;         ///< position in the space's journal, gapless from 1
  std::string kind;         ///< of the row: "entity", "edge", "note", "relation", "space"
  Uuid id;                  ///< of the row
  Sequence stream_seq = 0;  ///< position in the row's own stream, from 1
  Sequence prev_seq = 0;    ///< `seq` of the stream's event before; 0 at its root
  std::string op;           ///< "create", "replace", "delete", "restore", ...
  /// The whole row after the change, as JSON under the names of its struct; absent once purged.
  std::optional<std::string> body;
  std::string actor;
  std::string request_id;
  Timestamp at;             ///< never goes back within a space
};

/// Whether an event of that operation is the first of its stream.
inline bool begins_stream(std::string_view op) { return op == "create" || op == "create_deleted"; }

}  // namespace holdfast
