#pragma once

#include <optional>
#include <string_view>

#include <holdfast/graph/entity.h>
#include <holdfast/graph/key.h>
#include <holdfast/storage/transaction.h>

namespace holdfast {

/// The live entity that a declared key leads to.
std::optional<Entity> find_by_key(storage::Transaction& transaction, std::string_view space,
                                  std::string_view name, const KeyValue& value);

}  // namespace holdfast
