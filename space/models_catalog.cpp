#include "models_catalog.h"

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/space_contents.h>

namespace holdfast {

DeclaredModel read_model(const journal::DeclaredProjection& declared) {
  return {.model = Model::parse(declared.name, declared.declaration),
          .parameters = IndexParameters::parse(declared.options),
          .is_default = declared.is_default,
          .created_at = declared.created_at};
}

journal::DeclaredProjection require_model(storage::Transaction& transaction,
                                          std::string_view space, std::string_view name) {
  auto declared = journal::find_declared(transaction, space, name);
  if (!declared || declared->type != vectors::kModelType) {
    throw NotFound("model", std::string(name));
  }
  return *std::move(declared);
}

void require_room_for_projection(storage::Transaction& transaction, const std::string& space) {
  const auto there = journal::counts_of(transaction, space).projections;
  if (there < core::kProjectionsMax) return;
  throw Full("space " + space + " has " + std::to_string(there) +
             " projections already, and " + std::to_string(core::kProjectionsMax) +
             " are allowed; drop a model or undeclare a key");
}

void refuse_while_rebuilt(storage::Transaction& transaction, const Access& access,
                          std::string_view name) {
  const auto lease =
      storage::find_lease(transaction, access.space, journal::rebuild_lease_name(name));
  if (!lease || lease->expires_at <= access.environment.clock.now()) return;
  throw Busy("model " + std::string(name) + " is being rebuilt by " + lease->owner +
             ", whose lease ends at " + to_rfc3339(lease->expires_at) +
             " unless it is renewed; wait, or cancel that rebuild before the model is declared "
             "anew");
}

}  // namespace holdfast
