#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <holdfast/core/random.h>

#include "support/history_check.h"

namespace holdfast::test {

struct HistoryShape {
  std::uint64_t clients = 4;
  std::uint64_t operations = 6;  ///< of each client
  std::uint64_t rows = 2;
  unsigned unknown_percent = 0;  ///< of the writes
};

/// A history that clients of perfect rows would have, drawn from the seed. Ticks are 4 apart, so
/// that a fault finds room between them.
History make_history(std::uint64_t seed, const HistoryShape& shape);

/// One way in which a store can be wrong, put into a history of a right one.
struct SeededFault {
  std::string_view name;
  /// False when the history has no place for it; it is then as it was.
  bool (*inject)(History& history, core::Random& random);
};
const std::vector<SeededFault>& seeded_faults();

}  // namespace holdfast::test
