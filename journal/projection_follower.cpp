#include <holdfast/journal/projection_follower.h>

#include <vector>

#include <holdfast/core/error.h>
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
/// the same transaction. Throws NotFound when the generation is no longer written to.
void take_in(const ProjectionSite& site, GenerationWriter& writer,
             const std::vector<Event>& events) {
  auto batch = writer.read_changed(events);
  writer.derive(batch);
  site.environment.faults.at("projection.lock");
  bool is_gone = false;
  in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
    const auto written = writer.write(transaction, batch);
    is_gone = written.is_wrong_generation;
    for (std::size_t i = 0; i < written.problems.size(); ++i) {
      count_clash(transaction, site.space, writer.generation());
    }
    (void)advance_watermark(transaction, site.space, writer.generation(), events.back().seq);
  });
  if (is_gone) throw NotFound("generation", std::to_string(writer.generation().number));
}

std::uint64_t follow_generation(const ProjectionSite& site, const Generation& generation) {
  GenerationWriter writer(site, generation);
  Follower follower(feed_of(site), generation.watermark, [&](const std::vector<Event>& events) {
    take_in(site, writer, events);
  });
  try {
    follower.catch_up();
  } catch (const NotFound& gone) {
    if (gone.kind() != "generation") throw;
  }
  return follower.cursor() - generation.watermark;
}

}  // namespace

std::uint64_t follow_projection(const ProjectionSite& site, std::string_view projection) {
  std::vector<Generation> followed;
  {
    const auto snapshot = site.database.snapshot();
    for (Generation& generation : written_generations(snapshot->transaction(), site.space)) {
      if (generation.projection != projection || !generation.walk_done) continue;
      if (site.registry.projection(generation.type).upkeep() != Upkeep::followed) continue;
      followed.push_back(std::move(generation));
    }
  }
  std::uint64_t events = 0;
  for (const Generation& generation : followed) events += follow_generation(site, generation);
  return events;
}

void follow_projection(const ProjectionSite& site, std::string_view projection,
                       const std::stop_token& stop) {
  Sequence end = 0;
  {
    const auto snapshot = site.database.snapshot();
    end = tail(snapshot->transaction(), site.space).seq;
  }
  // Each generation has a cursor of its own, in the catalogue; this one only tells when to look.
  Follower driver(feed_of(site), end > 0 ? end - 1 : 0, [&](const std::vector<Event>&) {
    follow_projection(site, projection);
  });
  driver.run(stop);
}

}  // namespace holdfast::journal
