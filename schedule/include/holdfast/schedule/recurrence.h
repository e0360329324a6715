#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/schedule/zone.h>

namespace holdfast::schedule {

/// When something is to happen, as it was read.
struct Trigger {
  Timestamp at;
  LocalTime local{};        ///< what the wall shows then, or should: a skipped time stays as given
  bool has_offset = false;  ///< the text named an instant, not a wall time
};

struct Occurrence {
  Timestamp at;
  LocalTime nominal{};  ///< the wall time that the pattern names, even when it is skipped
};

/// How something repeats.
///
/// `every:<n><s|m|h|d>` runs by elapsed time, phase-locked to the anchor's instant. `daily`,
/// `weekly` and `monthly` keep the anchor's wall time, weekday and day of the month; a month that
/// is too short takes its last day, and the next one the anchor's day again. A cron pattern has
/// five fields (minute, hour, day, month, weekday) with lists, ranges, steps and names; when both
/// days are restricted either will do, as in Vixie cron. One whose minute or hour begins with `*`
/// runs by elapsed time: through both passes of a doubled hour, and not in a gap. Of every other a
/// wall time that is skipped happens once, when the clock has moved on, and a doubled one on its
/// first pass. Nothing is before the anchor.
class Recurrence {
 public:
  /// Throws InvalidArgument naming `field` and the part that is wrong; also for a pattern without
  /// any day in 400 years.
  static Recurrence parse(std::string_view field, std::string_view text);

  /// The first occurrence after `after`. Throws InvalidArgument("repeat") when there is none before
  /// the year 10000.
  Occurrence next(const Zone& zone, const Trigger& anchor, Timestamp after) const;

  struct Latest {
    Occurrence occurrence;
    std::uint64_t passed_over = 0;  ///< those from `from` on, before it; counted up to 10,000
  };
  /// The last occurrence from `from` to `until`, both included. What it costs does not grow with
  /// the time between beyond the 10,000 that are counted.
  std::optional<Latest> latest(const Zone& zone, const Trigger& anchor, Timestamp from,
                               Timestamp until) const;

  /// One way to repeat.
  class Series {
   public:
    virtual ~Series() = default;
    virtual std::optional<Occurrence> next(const Zone& zone, const Trigger& anchor,
                                           Timestamp after) const = 0;
    virtual std::optional<Occurrence> last(const Zone& zone, const Trigger& anchor, Timestamp from,
                                           Timestamp until) const = 0;
    /// From `from` on, before `before`; counted up to `limit`.
    virtual std::uint64_t count(const Zone& zone, const Trigger& anchor, Timestamp from,
                                Timestamp before, std::uint64_t limit) const = 0;
  };

 private:
  Recurrence(std::string text, std::shared_ptr<const Series> series)
      : text_(std::move(text)), series_(std::move(series)) {}

  std::string text_;
  std::shared_ptr<const Series> series_;
};

}  // namespace holdfast::schedule
