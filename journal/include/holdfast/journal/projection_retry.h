#pragma once

// Thread safety: any thread.

#include <cstdint>
#include <functional>
#include <span>

#include <holdfast/journal/projection_follower.h>

namespace holdfast::journal {

/// Tries anew to derive what is listed as failed of a generation: of the rows named by `ids`, or of
/// all when there are none. `go_on` is called after each batch with the number of sources tried;
/// false stops there. What fails again stays listed.
FollowReport retry_failures(const ProjectionSite& site, const Generation& generation,
                            std::span<const Uuid> ids = {},
                            const std::function<bool(std::uint64_t)>& go_on = {});

}  // namespace holdfast::journal
