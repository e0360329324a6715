#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/graph/key_store.h>
#include <holdfast/space/space.h>

#include "models_catalog.h"

namespace holdfast {
namespace {

KeyDeclaration read_key(const journal::DeclaredProjection& declared) {
  return KeyDeclaration::parse(declared.name, declared.declaration);
}

KeyOutcome outcome_of(journal::RebuildEnd end) {
  switch (end) {
    case journal::RebuildEnd::swapped: return KeyOutcome::declared;
    case journal::RebuildEnd::stopped: return KeyOutcome::stopped;
    case journal::RebuildEnd::cancelled: return KeyOutcome::cancelled;
    case journal::RebuildEnd::refused:
    case journal::RebuildEnd::incomplete: return KeyOutcome::refused;
  }
  return KeyOutcome::cancelled;
}

}  // namespace

DeclareKeyResult Space::declare_key(const KeyDeclaration& given,
                                    const journal::RebuildOptions& options,
                                    const journal::RebuildControl& control) const {
  const KeyDeclaration key = check_key_declaration(given);
  journal::check_rebuild_options(options);  // before anything is declared
  DeclareKeyResult result;
  bool is_to_be_built = false;
  access_.database.writer().submit(
      [&](storage::Transaction& transaction) {
        result = {};
        (void)journal::lock_space(transaction, access_.space);
        const auto declared = journal::find_declared(transaction, access_.space, key.name);
        is_to_be_built = !declared;
        if (!declared) {
          require_room_for_projection(transaction, access_.space);
          journal::declare_projection(transaction, access_.space,
                                      {.name = key.name,
                                       .type = std::string(graph::KeyStore::kType),
                                       .upkeep = journal::Upkeep::in_transaction,
                                       .declaration = key.to_json(),
                                       .created_at = access_.environment.clock.now()});
          return storage::Verdict::keep;
        }
        const bool is_key = declared->type == graph::KeyStore::kType;
        if (is_key) result.current = read_key(*declared);
        if (!is_key || *result.current != key) {
          result.outcome = KeyOutcome::declared_otherwise;
          return storage::Verdict::undo;
        }
        result.outcome = KeyOutcome::unchanged;
        is_to_be_built = !journal::find_generation(transaction, access_.space, key.name,
                                                   journal::GenerationState::serving);
        return storage::Verdict::undo;
      },
      to_string(access_.environment.ids.next()));
  if (!is_to_be_built) return result;
  result.current.reset();
  result.build = projections().rebuild(key.name, options, control);
  result.outcome = outcome_of(result.build.end);
  return result;
}

bool Space::undeclare_key(std::string_view name) const {
  bool was_declared = false;
  access_.database.writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::lock_space(transaction, access_.space);
        const auto declared = journal::find_declared(transaction, access_.space, name);
        was_declared = declared && declared->type == graph::KeyStore::kType;
        if (!was_declared) return storage::Verdict::undo;
        journal::undeclare_projection(transaction, access_.space, name);
        return storage::Verdict::keep;
      },
      to_string(access_.environment.ids.next()));
  if (was_declared) projections().remove_dropped();
  return was_declared;
}

std::vector<KeyDeclaration> Space::keys() const {
  std::vector<KeyDeclaration> keys;
  for (const auto& declared : projections().list()) {
    if (declared.type == graph::KeyStore::kType) keys.push_back(read_key(declared));
  }
  return keys;
}

std::optional<Entity> Space::find_by_key(std::string_view key, const KeyValue& value) const {
  const auto snapshot = access_.database.snapshot();
  return graph::KeyStore::find(snapshot->transaction(), access_.space,
                               core::check_name("key", key), value);
}

}  // namespace holdfast
