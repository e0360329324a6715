#pragma once

#include <vector>

#include "series.h"

namespace holdfast::schedule {

/// A series of wall times: days that match, and times of the day. What the clocks do to them is
/// the same for all such patterns.
class WallSeries : public Recurrence::Series {
 public:
  std::optional<Occurrence> next(const Zone& zone, const Trigger& anchor,
                                 Timestamp after) const final;
  std::optional<Occurrence> last(const Zone& zone, const Trigger& anchor, Timestamp from,
                                 Timestamp until) const final;
  std::uint64_t count(const Zone& zone, const Trigger& anchor, Timestamp from, Timestamp before,
                      std::uint64_t limit) const final;

 protected:
  virtual bool matches(std::chrono::local_days day, const Trigger& anchor) const = 0;
  /// Of a day that matches, in order.
  virtual std::vector<std::chrono::microseconds> times(const Trigger& anchor) const = 0;

 private:
  std::vector<Occurrence> on(std::chrono::local_days day, const Zone& zone, const Trigger& anchor,
                             const std::vector<std::chrono::microseconds>& times) const;
};

}  // namespace holdfast::schedule
