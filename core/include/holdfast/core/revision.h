#pragma once

// Thread safety: values and functions without state; any thread.

#include <compare>
#include <cstdint>

#include <holdfast/core/clock.h>

namespace holdfast {

/// When a row last changed: microseconds since the Unix epoch, strictly advancing for each row.
/// It names what a writer read; it is not a reliable wall-clock time.
struct Revision {
  std::int64_t us = 0;
  auto operator<=>(const Revision&) const = default;
};

/// Position in a space's journal: 1 is the first event, 0 is before all events.
using Sequence = std::uint64_t;

/// The one rule by which every write picks its revision: the clock, or one past what was read when
/// the clock has not moved beyond it. Throws InvalidArgument when `read` is the last revision
/// there is, before anything is touched.
Revision next_revision(Timestamp now, Revision read);
/// The revision of a row that did not exist before.
Revision first_revision(Timestamp now);

}  // namespace holdfast
