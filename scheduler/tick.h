#pragma once

#include <chrono>
#include <string>

#include <holdfast/scheduler/drain_report.h>
#include <holdfast/space/space.h>

namespace holdfast::scheduler {

/// The channel that tells whether a space's scheduler is alive.
inline constexpr const char* kTickChannel = "scheduler";

/// Says so, with what all drains of this worker did. What prevents it is logged: a space that is
/// full, say, must not keep events from happening.
void report_tick(const Space& space, std::chrono::microseconds interval, const DrainReport& total,
                 const std::string& worker);

}  // namespace holdfast::scheduler
