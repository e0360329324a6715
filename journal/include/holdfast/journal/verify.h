#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/registry.h>

namespace holdfast::journal {

struct VerifyProgress {
  std::string space;
  std::uint64_t done = 0;   ///< events and rows looked at
  std::uint64_t total = 0;  ///< as counted at the start
};

struct VerifyReport {
  std::uint64_t spaces = 0;
  std::uint64_t events = 0;
  std::uint64_t rows = 0;
  std::uint64_t findings_total = 0;
  std::vector<Finding> findings;  ///< the first 1,000
  bool is_clean() const { return findings_total == 0; }
};

/// Replays every space's journal and compares it with the tables: sequences gapless, times and
/// streams in order, every event's body a row that follows from its operation and the body before,
/// every row's text byte for byte the body of its last event, no row without events, no event
/// without a row and nothing of a space that is not there; then each store's own rules. Reads one
/// snapshot.
/// `progress`, when given, is called now and then and may throw to stop.
VerifyReport verify(storage::Transaction& transaction, const Registry& registry,
                    const std::function<void(const VerifyProgress&)>& progress = {});
/// The same for one space, in whatever state the transaction has it.
VerifyReport verify_space(storage::Transaction& transaction, const Registry& registry,
                          std::string_view space);

}  // namespace holdfast::journal
