#pragma once

// Thread safety: values; one thread at a time.

#include <cstdint>
#include <string>

namespace holdfast {

/// What a drain did.
struct DrainReport {
  std::uint64_t scanned = 0;        ///< due events that were looked at
  std::uint64_t claimed = 0;
  std::uint64_t fired = 0;          ///< occurrences that happened
  std::uint64_t re_armed = 0;       ///< events that were set to their next occurrence
  std::uint64_t missed = 0;         ///< occurrences whose time had passed
  std::uint64_t failed = 0;         ///< occurrences that failed for good
  std::uint64_t retry = 0;          ///< that failed, did nothing, and are tried again later
  std::uint64_t indeterminate = 0;  ///< of which it is not known whether they happened
  std::uint64_t handed_back = 0;    ///< that were claimed and given back unbegun
  std::uint64_t skipped_race = 0;   ///< claims that another worker, or an edit, was faster than
  /// Looks at due events of actions that this worker has no handler for.
  std::uint64_t unhandled = 0;
  std::uint64_t reclaimed = 0;      ///< taken over from workers whose lease had ended
  std::uint64_t finalized = 0;      ///< attempts whose end was stored with the event
  std::uint64_t conflicts = 0;      ///< ends decided again, as the event was edited meanwhile
  std::uint64_t fenced = 0;         ///< claims that were lost to another worker
  DrainReport& operator+=(const DrainReport& more);
};

/// Under the field names above.
std::string to_json(const DrainReport& report);

}  // namespace holdfast
