#pragma once

// Thread safety: any thread; each call is on its own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::exchange {

struct ImportProgress {
  std::uint64_t done = 0;   ///< rows looked at
  std::uint64_t total = 0;  ///< rows in the source
};
/// Called after each transaction. Answering false stops the import there; running it again goes on.
using ImportControl = std::function<bool(const ImportProgress&)>;

/// What becomes of the import when it would replace a row that somebody else has written since it
/// was imported: a row whose last event has another actor than the import's.
enum class OnConflict {
  keep,  ///< the row stays, and the report names it
  fail,  ///< Conflict, before anything is written
};
std::string_view to_string(OnConflict on_conflict);
/// Throws InvalidArgument naming `field`.
OnConflict parse_on_conflict(std::string_view field, std::string_view text);

/// Rows of one kind, by what became of them.
struct ImportCount {
  std::uint64_t created = 0;
  std::uint64_t existing = 0;  ///< there already, with what the source says; left as they are
  std::uint64_t replaced = 0;  ///< untouched since they were imported; now as the source says
  std::uint64_t kept = 0;      ///< differ from the source and stay: others have written them
  std::uint64_t skipped = 0;   ///< not possible here: an end is missing, the key is another row's
  std::uint64_t total() const { return created + existing + replaced + kept + skipped; }
  bool operator==(const ImportCount&) const = default;
};

/// A row of the source that is not in the store as the source has it.
struct KeptRow {
  std::string kind;  ///< "entity", "edge", "note", "relation", "scheduled_event", "space"
  std::string id;    ///< as text; of a relation or the space its name
  std::string why;   ///< in words, with the stored row's revision where there is one
};
inline constexpr std::size_t kKeptRowsMax = 100;

/// What every import answers.
struct ImportReport {
  ImportCount relations;
  ImportCount entities;
  ImportCount notes;
  ImportCount edges;
  ImportCount scheduled_events;
  std::vector<KeptRow> kept;     ///< of those counted as kept or skipped the first 100
  std::uint64_t kept_total = 0;  ///< how many there were
  bool complete = true;          ///< false when it was stopped

  bool changed_nothing() const {
    const auto wrote = [](const ImportCount& count) { return count.created + count.replaced; };
    return wrote(relations) + wrote(entities) + wrote(notes) + wrote(edges) +
               wrote(scheduled_events) ==
           0;
  }
};

}  // namespace holdfast::exchange
