#include <holdfast/journal/projection_follower.h>

#include <algorithm>
#include <exception>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/follower.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>

#include "generation_writer.h"

namespace holdfast::journal {
namespace {

Feed feed_of(const ProjectionSite& site) {
  return {.database = site.database, .environment = site.environment, .space = site.space};
}

/// What the events are about is read as it is now, derived and written, and the watermark moves in
/// the same transaction. Takes in no event when the generation is no longer written to.
FollowReport take_in(const ProjectionSite& site, GenerationWriter& writer,
                     const std::vector<Event>& events) {
  auto batch = writer.read_changed(events);
  writer.derive(batch);
  const auto stopped = GenerationWriter::stopped(batch);
  site.environment.faults.at("projection.lock");
  GenerationWriter::Written written;
  in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
    written = writer.write(transaction, batch);
    for (std::uint64_t i = 0; i < written.clashes; ++i) {
      count_clash(transaction, site.space, writer.generation());
    }
    if (stopped) return;
    (void)advance_watermark(transaction, site.space, writer.generation(), events.back().seq);
  });
  if (stopped && !written.is_wrong_generation) std::rethrow_exception(stopped);
  FollowReport report;
  report.events = written.is_wrong_generation ? 0 : events.size();
  report.add(written.outcomes, written.problems);
  return report;
}

/// False when the control has said so.
bool follow_generation(const ProjectionSite& site, const Generation& generation,
                       const FollowOptions& options, FollowReport& all) {
  GenerationWriter writer(site, generation);
  bool goes_on = true;
  bool is_gone = false;
  Follower follower(
      feed_of(site), generation.watermark,
      [&](const std::vector<Event>& events) {
        const auto report = take_in(site, writer, events);
        all.events += report.events;
        all.add(report.outcomes, report.problems);
        is_gone = report.events == 0;
        goes_on = !options.control || options.control(report);
      },
      {.batch_events = options.batch});
  while (goes_on && !is_gone && follower.step()) {
  }
  return goes_on;
}

}  // namespace

void FollowReport::add(const std::map<std::string, std::uint64_t>& more,
                       const std::vector<DerivedProblem>& found) {
  constexpr std::size_t kProblemsMax = 1000;
  for (const auto& [outcome, count] : more) outcomes[outcome] += count;
  for (const DerivedProblem& problem : found) {
    if (problems.size() == kProblemsMax) return;
    problems.push_back(problem);
  }
}

FollowReport follow_projection(const ProjectionSite& site, std::string_view projection,
                               const FollowOptions& options) {
  if (options.batch < 1 || options.batch > core::kRebuildBatchMax) {
    throw InvalidArgument("batch", std::to_string(options.batch), "be 1 to 10,000 events");
  }
  std::vector<Generation> followed;
  {
    const auto snapshot = site.database.snapshot();
    for (Generation& generation : written_generations(snapshot->transaction(), site.space)) {
      if (generation.projection != projection || !generation.walk_done) continue;
      if (generation.upkeep != Upkeep::followed) continue;
      if (options.generation && generation.number != *options.generation) continue;
      followed.push_back(std::move(generation));
    }
  }
  FollowReport report;
  std::exception_ptr failure;
  for (const Generation& generation : followed) {
    try {
      if (!follow_generation(site, generation, options, report)) break;
    } catch (const Error&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return report;
}

void follow_projection(const ProjectionSite& site, std::string_view projection,
                       const std::stop_token& stop, const FollowOptions& options) {
  Sequence end = 0;
  {
    const auto snapshot = site.database.snapshot();
    end = tail(snapshot->transaction(), site.space).seq;
  }
  // Each generation has a cursor of its own, in the catalogue; this one only tells when to look.
  std::stop_source enough;
  const std::stop_callback chained(stop, [&] { enough.request_stop(); });
  FollowOptions each = options;
  each.control = [&](const FollowReport& report) {
    if (options.control && !options.control(report)) enough.request_stop();
    return !enough.stop_requested();
  };
  Follower driver(feed_of(site), end > 0 ? end - 1 : 0, [&](const std::vector<Event>&) {
    follow_projection(site, projection, each);
  });
  driver.run(enough.get_token());
}

}  // namespace holdfast::journal
