#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include <holdfast/journal/journal.h>
#include <holdfast/journal/space_contents.h>
#include <holdfast/journal/space_settings.h>
#include <holdfast/space/meter.h>
#include <holdfast/storage/database.h>

namespace holdfast {

struct SpaceInfo {
  std::string space;
  SpaceSettings settings;
  Timestamp created_at;
  journal::Tail tail;
  std::uint64_t rows = 0;        ///< what rows_max limits
  std::uint64_t body_bytes = 0;  ///< what bytes_max limits
  std::map<std::string, RowCounts> kinds;  ///< "entity", "edge", "note", "relation"
  std::uint64_t requests = 0;              ///< known by their ids
  std::uint64_t projections = 0;           ///< declared, keys included
};

/// What the process has seen of the store since it was opened; cheap to ask for.
struct StoreStats {
  Meter::Counts writes;
  storage::WriterStats writer;                ///< batches, commit latency
  std::chrono::microseconds oldest_reader{0}; ///< age of the oldest snapshot of this process
  std::uint64_t log_bytes = 0;                ///< of the write-ahead log
  std::uint64_t database_bytes = 0;
  std::uint64_t free_bytes = 0;               ///< in the file, reusable
  std::uint64_t spaces = 0;
  std::uint64_t rows = 0;        ///< of all spaces, deleted ones included
  std::uint64_t body_bytes = 0;  ///< of text in all journals
  std::uint64_t projections = 0; ///< declared in all spaces
};

}  // namespace holdfast
