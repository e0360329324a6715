#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string_view>

#include <holdfast/space/store.h>

namespace holdfast::exchange {

struct ExportOptions {
  bool tombstones = true;  ///< deleted rows too; with `history` they are in it in any case
  /// Every event of the space instead of its rows as they are now.
  bool history = false;
};

/// Lines written so far, but for the first and the last.
struct ExportProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< as counted at the start
};
/// Called now and then. Answering false stops the export: what was written lacks its last line,
/// and no import takes it.
using ExportControl = std::function<bool(const ExportProgress&)>;

struct ExportReport {
  std::uint64_t relations = 0;
  std::uint64_t entities = 0;
  std::uint64_t notes = 0;
  std::uint64_t edges = 0;
  std::uint64_t scheduled_events = 0;
  std::uint64_t events = 0;      ///< with `history`, instead of the others
  std::uint64_t tombstones = 0;  ///< deleted rows among them
  std::uint64_t left_out = 0;    ///< deleted rows that were not asked for
  std::uint64_t bytes = 0;
  bool complete = true;          ///< false when it was stopped
};

/// Takes the next piece of the file: whole lines. What it throws ends the export.
using ExportSink = std::function<void(std::string_view)>;

/// Writes one instant of a space as JSON Lines, as docs/export-format.md has it. Reads one snapshot
/// without an age limit, writes nothing to the store and works on one that was opened read-only.
/// Memory does not grow with the space. Equal spaces give equal bytes.
///
/// Throws NotFound for an unknown space, and what snapshots throw. Thread safety: any thread.
ExportReport export_space(Store& store, std::string_view space, const ExportSink& sink,
                          const ExportOptions& options = {}, const ExportControl& control = {});
/// The same into a stream, which is flushed at the end. Throws Unavailable when it fails.
ExportReport export_space(Store& store, std::string_view space, std::ostream& out,
                          const ExportOptions& options = {}, const ExportControl& control = {});

}  // namespace holdfast::exchange
