#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/journal/projection_status.h>
#include <holdfast/space/models.h>

#include "embed_lease.h"
#include "models_catalog.h"
#include "reading.h"

namespace holdfast {
namespace {

using journal::GenerationState;

ModelGeneration read_generation(const std::string& name, journal::GenerationStatus status) {
  Model model = Model::parse(name, status.generation.declaration);
  return {.generation = std::move(status.generation),
          .model = std::move(model),
          .sources = status.sources,
          .failed = status.failed,
          .vectors = status.rows,
          .behind = status.behind,
          .is_outdated = status.is_outdated};
}

journal::Generation find_written(storage::Transaction& transaction, const std::string& space,
                                 std::string_view name, std::optional<std::uint64_t> number) {
  for (auto& generation : journal::written_generations(transaction, space)) {
    if (generation.projection != name) continue;
    const bool is_meant = number ? generation.number == *number
                                 : generation.state == GenerationState::serving;
    if (is_meant) return std::move(generation);
  }
  if (!number) throw Unavailable("model " + std::string(name) + " has not been built yet");
  throw NotFound("generation", std::to_string(*number));
}

std::optional<journal::FailureCursor> read_cursor(const std::string& query,
                                                  const std::string& cursor) {
  if (cursor.empty()) return std::nullopt;
  const auto key = storage::read_cursor(query, cursor, 2);
  return journal::FailureCursor{key[0], parse_uuid("cursor", key[1])};
}

}  // namespace

ModelStatus Models::status(std::string_view name) const {
  const auto snapshot = access_.database.snapshot(storage::ReaderAge::unbounded);
  storage::Transaction& transaction = snapshot->transaction();
  const auto tail = journal::tail(transaction, access_.space);
  ModelStatus status;
  status.declared = read_model(require_model(transaction, access_.space, name));
  status.tail = tail.seq;
  const Timestamp now = access_.environment.clock.now();
  auto all =
      journal::projection_status(transaction, access_.registry, access_.space, name, now);
  status.rebuild_lease = std::move(all.lease);
  for (auto& generation : all.generations) {
    const auto state = generation.generation.state;
    if (state == GenerationState::dropping) continue;
    auto& to = state == GenerationState::serving ? status.serving : status.building;
    to = read_generation(status.declared.model.name, std::move(generation));
  }
  const auto lease = storage::find_lease(transaction, access_.space, embed_lease_name(name));
  if (lease && lease->expires_at > now) status.embed_lease = lease;
  return status;
}

Page<journal::DerivedFailure> Models::failures(std::string_view name, const PageRequest& page,
                                               std::optional<std::uint64_t> generation) const {
  core::check_limit("limit", page.limit);
  const Reading reading(access_);
  storage::Transaction& transaction = reading.transaction();
  (void)require_model(transaction, access_.space, name);
  const auto of = find_written(transaction, access_.space, name, generation);
  const std::string query = "failures of " + std::to_string(of.number);
  const auto after = read_cursor(query, page.cursor);
  Page<journal::DerivedFailure> answer;
  answer.items = journal::failures_of(transaction, access_.space, of, after, page.limit);
  if (answer.items.size() < page.limit) return answer;
  const auto& last = answer.items.back();
  const journal::FailureCursor end{last.kind, last.id};
  const auto rest = journal::failures_of(transaction, access_.space, of, end,
                                         storage::kLeftOutCountMax + 1);
  if (rest.empty()) return answer;
  answer.next = storage::write_cursor(query, {last.kind, to_string(last.id)});
  answer.left_out = std::min<std::uint64_t>(rest.size(), storage::kLeftOutCountMax);
  answer.left_out_is_minimum = rest.size() > storage::kLeftOutCountMax;
  return answer;
}

}  // namespace holdfast
