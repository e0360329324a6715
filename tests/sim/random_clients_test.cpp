#include "sim/simulation.h"
#include "support/catch.h"

#include <cstdlib>

using namespace holdfast;
using namespace holdfast::test;

namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSeeds = 400;
#else
constexpr std::uint64_t kSeeds = 2000;
#endif

/// Situations that a run of all seeds must get into.
const std::vector<std::string> kWanted = {
    "entity.insert.applied", "entity.insert.exists",
    "entity.replace.applied", "entity.replace.revision_moved", "entity.replace.deletion_changed",
    "entity.replace_if_unchanged.missing", "entity.replace_if_unchanged.not_advanced",
    "entity.replace_if_unchanged.invalid", "entity.replace_if_unchanged.deletion_changed",
    "entity.update.unchanged", "entity.patch.applied", "entity.patch.unchanged",
    "entity.remove.unchanged", "entity.remove.revision_moved", "entity.remove.took_edges_along",
    "entity.restore.took_edges_along", "entity.restore.handed_over", "entity.restore.unchanged",
    "edge.insert.applied", "edge.insert.exists", "edge.insert.invalid", "edge.insert.key_taken",
    "edge.insert.overlaps", "edge.insert.endpoint_missing", "edge.insert.loop_refused",
    "edge.insert.a_loop", "edge.insert.relation_undeclared", "edge.insert.put_in_order",
    "edge.replace_if_unchanged.overlaps", "edge.replace_if_unchanged.not_advanced",
    "edge.replace_if_unchanged.invalid", "edge.replace_if_unchanged.deletion_changed",
    "edge.replace.revision_moved", "edge.replace.a_deleted_edge", "edge.update.overlaps",
    "edge.remove.revision_moved", "edge.restore.applied", "edge.restore.endpoint_missing",
    "edge.restore.key_taken", "edge.restore.overlaps", "edge.restore.revision_moved",
    "note.insert.applied", "note.insert.exists", "note.insert.key_taken",
    "note.insert.endpoint_missing", "note.replace.key_taken", "note.replace.endpoint_missing",
    "note.replace.about_a_deleted_entity", "note.replace.revision_moved",
    "note.replace_if_unchanged.not_advanced", "note.replace_if_unchanged.deletion_changed",
    "note.restore.key_taken", "note.restore.about_a_deleted_entity",
    "edge.replace.overlaps", "edge.replace_if_unchanged.key_taken",
    "declare.applied", "declare.unchanged", "declare.in_use", "interrupted",
    "clock.stepped_back", "clock.jumped_ahead", "clock.came_home",
    "write.in_the_same_microsecond", "write.while_the_clock_is_behind",
    "write.past_the_last_revision"};

/// What goes wrong under a seed, with each call of the run; empty when nothing does.
std::string failure(std::uint64_t seed, Marks& marks) {
  try {
    Simulation(seed, marks).run();
    return "";
  } catch (const std::exception& error) {
    std::string report = "seed " + std::to_string(seed) + ": " + error.what() + "\n";
    Marks ignored;
    std::vector<std::string> log;
    try {
      Simulation(seed, ignored, &log).run();
    } catch (const std::exception&) {
      // The same again, with a log.
    }
    for (const std::string& line : log) report += "  " + line + "\n";
    return report;
  }
}

}  // namespace

TEST_CASE("random clients see what plain maps would show", "[sim]") {
  Marks marks;
  // HOLDFAST_SIM_SEED=<n> runs that seed alone.
  if (const char* seed = std::getenv("HOLDFAST_SIM_SEED")) {
    REQUIRE(failure(std::strtoull(seed, nullptr, 10), marks) == "");
    return;
  }
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string found = failure(seed, marks);
    if (!found.empty()) FAIL(found);
  }
  if (kSeeds < 2000) return;  // too few to meet everything
  for (const auto& [name, count] : marks.counts()) UNSCOPED_INFO(name << " " << count);
  CHECK(marks.not_reached(kWanted) == std::vector<std::string>{});
}

TEST_CASE("a seed run twice gives the same calls and the same store", "[sim]") {
  Marks marks;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    Simulation first(seed, marks);
    first.run();
    Simulation second(seed, marks);
    second.run();
    REQUIRE(first.trace() == second.trace());
    REQUIRE(first.dump() == second.dump());
  }
}

TEST_CASE("two seeds give different calls and different stores", "[sim]") {
  Marks marks;
  Simulation first(1, marks);
  first.run();
  Simulation second(2, marks);
  second.run();
  CHECK(first.trace() != second.trace());
  CHECK(first.dump() != second.dump());
}
