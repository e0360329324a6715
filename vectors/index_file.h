#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <holdfast/storage/database.h>

#include "segment_folder.h"
#include "serving.h"

namespace holdfast::vectors {

/// What a file of the generation's vectors is of. Reads the database, which names one file; a new
/// one has an id of its own.
SegmentIdentity identity_of(storage::Transaction& transaction, const Serving& serving,
                            const IndexParameters& parameters,
                            const std::optional<Uuid>& file = {});
HnswParameters graph_parameters(const IndexParameters& parameters);

/// A file as its header tells.
struct FileLook {
  bool is_usable = false;
  std::uint64_t cursor = 0;
  std::uint64_t bytes = 0;
  std::string refusal{};
};
FileLook look_at_file(const std::string& path, const SegmentIdentity& wanted);

/// Removes what belongs to no generation that any space of the database has. Returns how many
/// files are gone.
std::size_t remove_orphans(storage::Database& database, const SegmentFolder& folder);

}  // namespace holdfast::vectors
