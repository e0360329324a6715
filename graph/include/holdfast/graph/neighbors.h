#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <cstdint>

#include <holdfast/graph/edge.h>
#include <holdfast/storage/page.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::graph {

/// The live edges at an entity with the entities at their other ends: outgoing first, then by
/// relation, other end and start of validity. Throws NotFound for an unknown entity.
Page<Neighbor> neighbors(storage::Transaction& transaction, std::string_view space,
                         EntityId entity, const NeighborFilter& filter, const PageRequest& page);

/// The sequence of the last change to any edge at the entity; 0 when there was none. Throws
/// NotFound for an unknown entity.
Sequence neighborhood_seq(storage::Transaction& transaction, std::string_view space,
                          EntityId entity);

}  // namespace holdfast::graph
