#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace holdfast::schedule {

/// An offset from UTC, and from when until when it holds, the end excluded.
struct OffsetSpan {
  std::chrono::sys_seconds begin = std::chrono::sys_seconds::min();
  std::chrono::sys_seconds end = std::chrono::sys_seconds::max();
  std::chrono::seconds offset{0};
};

/// How a zone goes on for ever, as the last line of its file says: "CET-1CEST,M3.5.0,M10.5.0/3".
/// POSIX's form of TZ, with the hours of -167 to 167 that RFC 9636 adds.
class PosixRule {
 public:
  static std::optional<PosixRule> parse(std::string_view text);
  OffsetSpan at(std::chrono::sys_seconds instant) const;

 private:
  /// The day of a year on which the clocks change, and when on it.
  struct Change {
    enum class Kind {
      nth_weekday,   ///< M: the `week`th `day` of `month`, 5 being the last
      without_leap,  ///< J: 1 to 365, 29 February is never counted
      day_of_year,   ///< 0 to 365
    };
    Kind kind = Kind::nth_weekday;
    unsigned month = 1;
    unsigned week = 1;
    unsigned day = 0;
    std::chrono::seconds time = std::chrono::hours(2);

    std::chrono::sys_seconds wall_in(std::chrono::year year) const;
  };
  class Reader;

  std::chrono::seconds standard_{0};
  std::chrono::seconds daylight_{0};
  Change to_daylight_{};
  Change to_standard_{};
  bool has_daylight_ = false;
};

}  // namespace holdfast::schedule
