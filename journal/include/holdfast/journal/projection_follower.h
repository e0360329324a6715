#pragma once

// Thread safety: any thread; several, in several processes, do no harm.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection_site.h>
#include <holdfast/journal/rebuild.h>

namespace holdfast::journal {

/// What bringing derived rows up to date came to.
struct FollowReport {
  std::uint64_t events = 0;                       ///< taken in, of each generation
  std::map<std::string, std::uint64_t> outcomes;  ///< by to_string(DerivedOutcome)
  std::vector<DerivedProblem> problems;           ///< the first 1,000

  void add(const std::map<std::string, std::uint64_t>& outcomes,
           const std::vector<DerivedProblem>& problems);
};

struct FollowOptions {
  /// Events taken in at once, 1 to 10,000: as many sources, at most, are read, derived and written.
  std::size_t batch = 1000;
  /// The one to bring up to date; absent: all. Of several, one that fails does not keep the others.
  std::optional<std::uint64_t> generation{};
  /// Called after each transaction with what it came to; false stops the work there.
  std::function<bool(const FollowReport&)> control{};
};

/// Brings the generations of a followed projection up to the journal's end, the building one too
/// once it was walked. Takes nothing in for a projection that is kept in the transactions of its
/// sources.
FollowReport follow_projection(const ProjectionSite& site, std::string_view projection,
                               const FollowOptions& options = {});

/// Goes on doing so until `stop`, or until the space is gone, or the control says so. Failures are
/// logged and tried again.
void follow_projection(const ProjectionSite& site, std::string_view projection,
                       const std::stop_token& stop, const FollowOptions& options = {});

}  // namespace holdfast::journal
