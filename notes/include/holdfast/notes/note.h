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

/// Text about something: an observation, a message, a summary.
struct Note {
  NoteId id;                        ///< nil in a new note: one is made
  std::string kind;
  std::optional<std::string> key{};   ///< names at most one live note of the space
  std::optional<EntityId> about{};
  std::string content;              ///< up to 1 MiB, kept verbatim
  JsonObject properties;
  std::vector<std::string> tags{};
  double salience = 0.0;            ///< how much it matters; the writer's own scale
  std::optional<Timestamp> expires_at{};  ///< lists leave it out from then on
  Timestamp created_at;
  Revision revision;
  std::optional<Timestamp> deleted_at{};  ///< absent while live
  Sequence seq = 0;                     ///< of its last change
  /// Filled in by every answer: the entity it is about is deleted. Not stored.
  bool about_is_deleted = false;
  bool operator==(const Note&) const = default;
};

struct NoteFilter : RowFilter {
  std::optional<std::string> kind{};
  std::optional<std::string> key{};
  std::optional<EntityId> about{};
  /// Notes that have expired by then are left out; a Space fills in its clock.
  std::optional<Timestamp> live_at{};
  bool include_expired = false;
  std::vector<std::string> tags_any{};  ///< at least one of them, as NFC, when there are any
  std::vector<std::string> tags_all{};  ///< each of them
  /// Only notes whose key, as NFC, begins like this; the order is then (key, id).
  std::optional<std::string> key_prefix{};
};

}  // namespace holdfast
