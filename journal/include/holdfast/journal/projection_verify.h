#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <string_view>

#include <holdfast/journal/registry.h>

namespace holdfast::journal {

/// Derives every source of the space's projections anew and compares that with what is stored:
/// nothing stale in a projection that is never behind, nothing missing up to a watermark, no
/// version of what is still to come, no row that is no generation's. `only`, when not empty, names
/// the one projection to look at.
void verify_projections(storage::Transaction& transaction, const Registry& registry,
                        std::string_view space, std::string_view only, const Report& report);

}  // namespace holdfast::journal
