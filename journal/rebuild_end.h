#pragma once

#include <string>
#include <string_view>

#include <holdfast/journal/projection_catalog.h>

namespace holdfast::journal {

/// Throws NotFound.
DeclaredProjection require_declared(storage::Transaction& transaction, std::string_view space,
                                    const std::string& name);

/// Drops a generation that is being built. A projection that never served is then declared no
/// longer; one that serves is declared as what serves.
void abandon(storage::Transaction& transaction, std::string_view space,
             const Generation& generation);

}  // namespace holdfast::journal
