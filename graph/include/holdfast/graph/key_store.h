#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/graph/entity.h>
#include <holdfast/graph/key.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/projection.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::graph {

/// Declared keys: a projection of entities that is kept in the transactions that write them, so a
/// key in force is never behind. Writes go through EntityStore.
class KeyStore {
 public:
  /// The type of projection, as the catalogue names it; frozen.
  static constexpr std::string_view kType = "key";

  /// The live entity that has the key. Throws NotFound for a space that is not there and for a
  /// key that is not declared, Unavailable while it is being built, Corrupt when the entity found
  /// does not have the key.
  static std::optional<Entity> find(storage::Transaction& transaction, std::string_view space,
                                    std::string_view name, const KeyValue& value);

  /// The live entity, another than `entity`, that has one of its keys.
  static std::optional<Entity> holder_of_keys(journal::Appender& appender, const Entity& entity);

  /// One of an entity's keys.
  struct Named {
    std::string key;
    KeyValue value;
  };
  /// The keys that a live entity has of those in force among the generations. Throws
  /// InvalidArgument for what cannot be a key.
  static std::vector<Named> keys_of(std::span<const journal::Generation> generations,
                                    const Entity& entity);

  static const journal::Projection& projection();
};

}  // namespace holdfast::graph
