#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/storage/page.h>

namespace holdfast {

using SpaceId = Id<struct SpaceTag>;

/// A namespace with a history line of its own: the settings that its rows obey.
struct SpaceRow {
  SpaceId id;
  JsonObject settings;
  Timestamp created_at;
  Revision revision;
  std::optional<Timestamp> deleted_at;
  Sequence seq = 0;
};

namespace journal {

/// The id of a space: deterministic, so that two creators of one name make one space.
SpaceId space_id(std::string_view space);

/// Spaces and their settings. Thread safety: none needed; holds no state.
class SpaceStore {
 public:
  using Row = SpaceRow;

  /// Creates the space, or answers `exists` with the one there. `context.space` is its name.
  static WriteResult<SpaceRow> insert_if_absent(storage::Transaction& transaction,
                                                const WriteContext& context,
                                                const JsonObject& settings);
  static WriteResult<SpaceRow> replace_if_unchanged(Appender& appender, SpaceRow row,
                                                    const Expected& expected);
  static SpaceRow from_event(storage::Transaction& transaction, std::string_view space,
                             const Event& event);
  static std::optional<SpaceRow> find(storage::Transaction& transaction, std::string_view space);
  /// Names of live spaces, in byte order.
  static Page<std::string> names(storage::Transaction& transaction, const PageRequest& page);
  static Source source();
};

}  // namespace journal
}  // namespace holdfast
