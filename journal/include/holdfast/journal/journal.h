#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/event.h>
#include <holdfast/storage/page.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

/// Where a space's line of history ends.
struct Tail {
  Sequence seq = 0;
  Timestamp at;
};
/// Throws NotFound when there is no such space.
Tail tail(storage::Transaction& transaction, std::string_view space);
/// The same in a write transaction, with the space's row locked until it ends, as whatever writes
/// to the space does first.
Tail lock_space(storage::Transaction& transaction, std::string_view space);

/// One row's events, oldest first, read by the stream's own index: the cost is the row's history,
/// however large the store. Throws NotFound when the row never existed.
Page<Event> history(storage::Transaction& transaction, std::string_view space,
                    std::string_view kind, const Uuid& id, const PageRequest& page);

/// Who wrote the first event of a row's stream; absent when the row never existed.
std::optional<std::string> creator_of(storage::Transaction& transaction, std::string_view space,
                                      std::string_view kind, const Uuid& id);

/// The last event of a row's stream; absent when the row never existed.
std::optional<Event> last_event(storage::Transaction& transaction, std::string_view space,
                                std::string_view kind, const Uuid& id);

/// The event at a place of the space's journal.
std::optional<Event> event_at(storage::Transaction& transaction, std::string_view space,
                              Sequence seq);

/// The last event of a row's stream that is not after `seq`; absent when the row did not exist yet.
/// The cost does not grow with what came later.
std::optional<Event> event_as_of(storage::Transaction& transaction, std::string_view space,
                                 std::string_view kind, const Uuid& id, Sequence seq);

/// Where the space's journal stood at that time: the last sequence that is not dated after it.
Sequence seq_as_of(storage::Transaction& transaction, std::string_view space, Timestamp time);

/// Up to `limit` events of the space after `after`, in order.
std::vector<Event> read_after(storage::Transaction& transaction, std::string_view space,
                              Sequence after, std::size_t limit);

}  // namespace holdfast::journal
