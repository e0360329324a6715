#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/schedule/zone.h>

namespace holdfast::test {

/// The environment's TZ for as long as this lives, and what glibc makes of it: a second opinion on
/// what the clocks of a place show. One at a time, and in one thread.
class ProcessZone {
 public:
  explicit ProcessZone(const std::string& name);
  ~ProcessZone();
  ProcessZone(const ProcessZone&) = delete;
  ProcessZone& operator=(const ProcessZone&) = delete;

  /// localtime_r().
  std::chrono::seconds offset_at(std::chrono::sys_seconds at) const;
  /// localtime_r(), as text: "2026-03-29T02:30:00".
  std::string shown(std::chrono::sys_seconds at) const;
  /// mktime(), where its answer shows that wall time.
  std::optional<std::chrono::sys_seconds> instant_of(std::chrono::local_seconds wall) const;

 private:
  std::optional<std::string> before_;
};

/// A change of a zone's offset.
struct Transition {
  std::chrono::sys_seconds at;
  std::chrono::seconds before;
  std::chrono::seconds after;
};

/// All of them in a time, found by asking glibc.
std::vector<Transition> transitions(const ProcessZone& zone, std::chrono::sys_seconds from,
                                    std::chrono::sys_seconds to);

}  // namespace holdfast::test
