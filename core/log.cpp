#include <holdfast/core/log.h>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace holdfast::core {

namespace {

constexpr const char* kLoggerName = "holdfast";

std::shared_ptr<spdlog::logger> make_default() {
  auto made = std::make_shared<spdlog::logger>(kLoggerName,
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>());
  made->set_level(spdlog::level::warn);
  return made;
}

}  // namespace

std::shared_ptr<spdlog::logger> log() {
  if (auto found = spdlog::get(kLoggerName)) return found;
  auto made = make_default();
  try {
    spdlog::register_logger(made);
  } catch (const spdlog::spdlog_ex&) {
    // Another thread registered one since the look-up; theirs counts.
    if (auto found = spdlog::get(kLoggerName)) return found;
  }
  return made;
}

}  // namespace holdfast::core
