#include "rebuild_end.h"

#include <chrono>
#include <optional>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/rebuild.h>

#include "generation_writer.h"

namespace holdfast::journal {
namespace {

constexpr std::size_t kDropAtOnce = 1000;
constexpr std::size_t kOwnerBytesMax = 200;
constexpr std::chrono::milliseconds kLeaseMin{1};
constexpr std::chrono::milliseconds kLeaseMax = std::chrono::hours(24);

}  // namespace

DeclaredProjection require_declared(storage::Transaction& transaction, std::string_view space,
                                    const std::string& name) {
  auto declared = find_declared(transaction, space, name);
  if (!declared) throw NotFound("projection", name);
  return *std::move(declared);
}

void abandon(storage::Transaction& transaction, std::string_view space,
             const Generation& generation) {
  drop_generation(transaction, space, generation);
  const auto serving =
      find_generation(transaction, space, generation.projection, GenerationState::serving);
  if (!serving) {
    undeclare_projection(transaction, space, generation.projection);
  } else {
    // What was to be is given up with it.
    redeclare_projection(transaction, space, generation.projection, serving->declaration,
                         serving->options);
  }
}

std::string_view to_string(RebuildEnd end) {
  switch (end) {
    case RebuildEnd::swapped: return "swapped";
    case RebuildEnd::stopped: return "stopped";
    case RebuildEnd::cancelled: return "cancelled";
    case RebuildEnd::refused: return "refused";
    case RebuildEnd::incomplete: return "incomplete";
  }
  return "unknown";
}

void check_rebuild_options(const RebuildOptions& options) {
  if (options.batch < 1 || options.batch > core::kRebuildBatchMax) {
    throw InvalidArgument("batch", std::to_string(options.batch), "be 1 to 10,000 sources");
  }
  if (options.lease < kLeaseMin || options.lease > kLeaseMax) {
    throw InvalidArgument("lease", std::to_string(options.lease.count()) + " ms",
                          "be 1 ms to 24 hours");
  }
  if (options.owner.size() > kOwnerBytesMax || !core::is_text(options.owner)) {
    throw InvalidArgument("owner", options.owner, "be up to 200 bytes of UTF-8 without U+0000");
  }
}

bool cancel_rebuild(const ProjectionSite& site, std::string_view projection) {
  const std::string name(projection);
  bool was_building = false;
  in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
    (void)require_declared(transaction, site.space, name);
    const auto building =
        find_generation(transaction, site.space, name, GenerationState::building);
    was_building = building.has_value();
    if (building) abandon(transaction, site.space, *building);
  });
  remove_dropped(site);
  return was_building;
}

std::uint64_t remove_dropped(const ProjectionSite& site, const RebuildControl& control) {
  std::vector<Generation> dropping;
  {
    const auto snapshot = site.database.snapshot();
    for (Generation& generation : all_generations(snapshot->transaction(), site.space)) {
      if (generation.state == GenerationState::dropping) dropping.push_back(std::move(generation));
    }
  }
  RebuildProgress progress;
  progress.step = "drop";
  for (const Generation& generation : dropping) {
    progress.projection = generation.projection;
    progress.generation = generation.number;
    for (std::uint64_t removed = 1; removed > 0;) {
      in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
        removed =
            remove_some_of(transaction, site.registry, site.space, generation, kDropAtOnce);
      });
      progress.done += removed;
      if (control && !control(progress)) return progress.done;
    }
  }
  return progress.done;
}

}  // namespace holdfast::journal
