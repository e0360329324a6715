#pragma once

#include <string_view>

#include <holdfast/journal/registry.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::graph {

/// What verify() checks of edges beyond their bodies: live ends, symmetric order, no overlap,
/// neighbourhood stamps that name the last change.
void check_edges(storage::Transaction& transaction, std::string_view space,
                 const journal::Report& report);

}  // namespace holdfast::graph
