#pragma once

// Thread safety: any thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection.h>
#include <holdfast/journal/projection_site.h>

namespace holdfast::journal {

/// A source that nothing could be derived from, or nothing beside what others have.
struct DerivedProblem {
  std::string kind;
  Uuid id;
  std::optional<Uuid> clashes_with{};
  std::string detail;  ///< what is wrong: for people
};

struct RebuildProgress {
  std::string projection;
  std::uint64_t generation = 0;
  std::string step;         ///< "walk", "retry", "follow", "prepare", "drop"
  std::uint64_t done = 0;   ///< sources walked, or rows dropped
  std::uint64_t total = 0;  ///< sources, as counted at the start; 0 when it is not known
};
/// Called after each transaction. Answering false stops the work there; running it again goes on.
using RebuildControl = std::function<bool(const RebuildProgress&)>;

enum class RebuildEnd {
  swapped,    ///< the new generation serves
  stopped,    ///< by the control; rebuilding again goes on where it stopped
  cancelled,  ///< by cancel_rebuild() or by taking the declaration back, here or elsewhere
  refused,    ///< sources clash: the generation is given up as by cancel_rebuild()
  /// Nothing can be derived from some sources, or more of them wait for their writers than in the
  /// serving generation: rebuilding again goes on, and tries those anew.
  incomplete,
};
std::string_view to_string(RebuildEnd end);

struct RebuildReport {
  RebuildEnd end = RebuildEnd::swapped;
  std::uint64_t generation = 0;
  bool was_resumed = false;
  std::uint64_t walked = 0;                 ///< sources, those before a resumed stop included
  std::map<std::string, std::uint64_t> outcomes;  ///< of this run, by to_string(DerivedOutcome)
  std::uint64_t dropped = 0;                ///< rows of older generations that were removed
  std::uint64_t problems_total = 0;
  std::uint64_t waiting = 0;                ///< of these: for what their writers give
  std::vector<DerivedProblem> problems;     ///< the first 1,000
};

struct RebuildOptions {
  /// Sources read, and at most written, at once, 1 to 10,000: while they are written nobody else
  /// writes.
  std::size_t batch = 64;
  /// For how long the work belongs to this process after its last sign of life: 1 ms to a day.
  std::chrono::milliseconds lease{15'000};
  /// What an earlier run has left is thrown away instead of going on with it.
  bool restart = false;
  /// The new generation may serve without those sources that nothing could be derived from. They
  /// stay listed; see projection_failures.h.
  bool allow_failures = false;
  /// Everything is derived anew, though the serving generation has it of equal input.
  bool anew = false;
  /// Called once everything is in the new generation, before it serves: what readers will need may
  /// be made ready. It asks from time to time whether to go on, which keeps the lease; when not, it
  /// returns at once. What it throws ends the run; running it again goes on.
  std::function<void(const Generation&, const std::function<bool()>& go_on)> prepare{};
  /// Tells those who have to wait who is at work, such as a host and a process; up to 200 bytes.
  std::string owner{};
};
/// Throws InvalidArgument for options that rebuild() refuses.
void check_rebuild_options(const RebuildOptions& options);

/// Builds a new generation of a projection beside the serving one, from all sources, and swaps the
/// two in one transaction, while readers and writers go on. One process at a time does so: throws
/// Busy, naming who, while another has the lease, and Conflict when another took it over because
/// this one was stopped for longer than its lease. Stopped or killed at any point, one generation
/// serves, and a later call goes on from the last batch. Throws NotFound for a projection that is
/// not declared.
RebuildReport rebuild(const ProjectionSite& site, std::string_view projection,
                      const RebuildOptions& options = {}, const RebuildControl& control = {});

/// Gives up the generation that is being built, by whomever, and removes its rows. False when none
/// is. The serving generation stays; a projection without one is declared no longer.
bool cancel_rebuild(const ProjectionSite& site, std::string_view projection);

/// Removes the rows of generations that are dropping. Returns how many.
std::uint64_t remove_dropped(const ProjectionSite& site, const RebuildControl& control = {});

}  // namespace holdfast::journal
