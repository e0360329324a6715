#include <holdfast/journal/projection_retry.h>

#include <algorithm>

#include <holdfast/journal/projection_failures.h>

#include "generation_writer.h"

namespace holdfast::journal {
namespace {

constexpr std::size_t kAtOnce = 64;

std::vector<DerivedFailure> next_failures(const ProjectionSite& site,
                                          const Generation& generation,
                                          std::optional<FailureCursor>& cursor) {
  const auto snapshot = site.database.snapshot();
  auto failures =
      failures_of(snapshot->transaction(), site.space, generation, cursor, kAtOnce);
  if (!failures.empty()) cursor = FailureCursor{failures.back().kind, failures.back().id};
  return failures;
}

}  // namespace

FollowReport retry_failures(const ProjectionSite& site, const Generation& generation,
                            std::span<const Uuid> ids,
                            const std::function<bool(std::uint64_t)>& go_on) {
  FollowReport report;
  GenerationWriter writer(site, generation);
  std::optional<FailureCursor> cursor;
  std::uint64_t tried = 0;
  for (;;) {
    const auto failures = next_failures(site, generation, cursor);
    if (failures.empty()) return report;
    std::set<std::pair<std::string_view, Uuid>> sources;
    for (const DerivedFailure& failure : failures) {
      if (!ids.empty() && std::find(ids.begin(), ids.end(), failure.id) == ids.end()) continue;
      sources.emplace(failure.kind, failure.id);
    }
    auto batch = writer.read_these(sources);
    writer.derive(batch);
    GenerationWriter::Written written;
    site.environment.faults.at("projection.lock");
    in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
      written = writer.write(transaction, batch);
    });
    if (const auto stopped = GenerationWriter::stopped(batch)) std::rethrow_exception(stopped);
    report.add(written.outcomes, written.problems);
    tried += batch.size();
    if (written.is_wrong_generation || (go_on && !go_on(tried))) return report;
  }
}

}  // namespace holdfast::journal
