#include "tick.h"

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/scheduler/heartbeat.h>

namespace holdfast::scheduler {

void report_tick(const Space& space, std::chrono::microseconds interval, const DrainReport& total,
                 const std::string& worker) {
  HeartbeatReport report{.channel = kTickChannel, .interval = interval};
  report.details = JsonObject::trusted(core::JsonWriter()
                                           .string("worker", worker)
                                           .raw("drained", to_json(total))
                                           .finish());
  try {
    (void)Heartbeats(space).report(report);
  } catch (const Error& error) {
    core::log()->warn("scheduler: no sign of life in {}: {}", space.name(), error.what());
  }
}

}  // namespace holdfast::scheduler
