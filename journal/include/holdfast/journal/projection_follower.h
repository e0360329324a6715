#pragma once

// Thread safety: any thread; several, in several processes, do no harm.

#include <cstdint>
#include <stop_token>
#include <string_view>

#include <holdfast/journal/projection_site.h>

namespace holdfast::journal {

/// Brings the generations of a followed projection up to the journal's end, the building one too
/// once it was walked. Returns the number of events taken in: none for a projection that is kept
/// in the transactions of its sources.
std::uint64_t follow_projection(const ProjectionSite& site, std::string_view projection);

/// Goes on doing so until `stop`, or until the space is gone. Failures are logged and tried again.
void follow_projection(const ProjectionSite& site, std::string_view projection,
                       const std::stop_token& stop);

}  // namespace holdfast::journal
