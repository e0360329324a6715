#pragma once

#include <cstdint>
#include <filesystem>

#include <holdfast/exchange/jsonl.h>

#include "jsonl_file.h"

namespace holdfast::exchange {

/// Whether the space's journal holds only events of the space itself.
bool never_had_a_row(storage::Transaction& transaction, const Space& space);

/// Replays a judged file with history into the space in one transaction, with the file's settings.
/// The file is read inside it, again whenever it runs again. Throws Conflict when the space has had
/// rows by now; InvalidArgument when the journal's checks find something.
void replay_history(const Space& space, const std::filesystem::path& file, JsonlReport& report);

}  // namespace holdfast::exchange
