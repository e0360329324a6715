#include <holdfast/space/projections.h>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_verify.h>

#include "reading.h"

namespace holdfast {

std::string_view to_string(KeyOutcome outcome) {
  switch (outcome) {
    case KeyOutcome::declared: return "declared";
    case KeyOutcome::unchanged: return "unchanged";
    case KeyOutcome::declared_otherwise: return "declared_otherwise";
    case KeyOutcome::refused: return "refused";
    case KeyOutcome::stopped: return "stopped";
    case KeyOutcome::cancelled: return "cancelled";
  }
  return "unknown";
}

journal::ProjectionSite Projections::site() const {
  return {.database = access_.database,
          .environment = access_.environment,
          .registry = access_.registry,
          .space = access_.space};
}

std::vector<journal::DeclaredProjection> Projections::list() const {
  const Reading reading(access_);
  return journal::declared_projections(reading.transaction(), access_.space);
}

journal::ProjectionStatus Projections::status(std::string_view name) const {
  const auto snapshot = access_.database.snapshot(storage::ReaderAge::unbounded);
  return journal::projection_status(snapshot->transaction(), access_.registry, access_.space, name,
                                    access_.environment.clock.now());
}

journal::RebuildReport Projections::rebuild(std::string_view name,
                                            const journal::RebuildOptions& options,
                                            const journal::RebuildControl& control) const {
  return journal::rebuild(site(), name, options, control);
}

bool Projections::cancel(std::string_view name) const {
  return journal::cancel_rebuild(site(), name);
}

std::uint64_t Projections::remove_dropped() const { return journal::remove_dropped(site()); }

std::vector<journal::Finding> Projections::verify(std::string_view name) const {
  const auto snapshot = access_.database.snapshot(storage::ReaderAge::unbounded);
  storage::Transaction& transaction = snapshot->transaction();
  if (!journal::find_declared(transaction, access_.space, name)) {
    throw NotFound("projection", std::string(name));
  }
  std::vector<journal::Finding> findings;
  journal::verify_projections(
      transaction, access_.registry, access_.space, name,
      [&](journal::Finding finding) { findings.push_back(std::move(finding)); });
  return findings;
}

}  // namespace holdfast
