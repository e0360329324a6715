#pragma once

// Thread safety: any thread; each call is on its own.

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <holdfast/exchange/import.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

/// The actor of imports, as the caller names it for the handle: a row that another has written
/// last counts as touched since.
inline constexpr std::string_view kJsonlActor = "import:jsonl";

/// What becomes of a row that is there already and differs from the file's.
enum class ImportMode {
  fail,     ///< Conflict naming the row, before anything is written
  skip,     ///< it stays, counted as kept
  replace,  ///< it becomes the file's, unless somebody else has written it since its import
};
std::string_view to_string(ImportMode mode);
/// Throws InvalidArgument naming `field`.
ImportMode parse_import_mode(std::string_view field, std::string_view text);

struct JsonlOptions {
  ImportMode mode = ImportMode::fail;
  OnConflict on_conflict = OnConflict::keep;  ///< with `replace`
};

struct JsonlReport : ImportReport {
  std::uint64_t events = 0;         ///< of a file with history; counted as no rows
  bool settings_applied = false;    ///< the space had no rows, and has the file's settings now
  bool settings_differ = false;     ///< the space keeps its own; also named in `kept`
  std::uint64_t abouts_missing = 0; ///< live notes about an entity that is not live here
  bool changed_nothing() const {
    return ImportReport::changed_nothing() && events == 0 && !settings_applied;
  }
};

/// Reads a file that export_space() wrote, or one of that form; see docs/export-format.md. The
/// whole file is read and judged first, so a broken one changes nothing. Then rows are written, in
/// the order of the file, in transactions of up to 1,000.
///
/// A row that is absent is created with the file's times, revision and deletion. One that is there
/// with the same content, at the file's revision or a later one, is left alone. For one that
/// differs `mode` decides. Replacing is guarded by the revision that was read, and the new revision
/// is the file's when that is above it. Stopped or killed, the same call goes on where it was.
///
/// A file with history goes only into a space that never had a row: all of it in one transaction,
/// event by event, and kept only when the journal's own checks hold. The space's own events before
/// it are dated back to its first event when they are later.
///
/// Throws NotFound and Unavailable for the file; InvalidArgument for what is in it, with a field()
/// of "FILE:LINE:COLUMN: FIELD"; Conflict as said above, and for a file with history that meets a
/// space with rows; and what writes throw. Memory: some 200 bytes for each row of the file.
JsonlReport import_jsonl(const Space& space, const std::filesystem::path& file,
                         const JsonlOptions& options = {}, const ImportControl& control = {});

}  // namespace holdfast::exchange
