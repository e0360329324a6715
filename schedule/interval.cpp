#include <algorithm>

#include "series.h"

namespace holdfast::schedule {
namespace {

using std::chrono::microseconds;

/// By elapsed time, in phase with the anchor's instant.
class Interval final : public Recurrence::Series {
 public:
  explicit Interval(microseconds period) : period_(period) {}

  std::optional<Occurrence> next(const Zone& zone, const Trigger& anchor,
                                 Timestamp after) const override {
    Timestamp at = anchor.at;
    if (after >= anchor.at) {
      const microseconds since = (after - anchor.at) / period_ * period_;
      if (anchor.at + since > kLastInstant - period_) return std::nullopt;
      at = anchor.at + since + period_;
    }
    return Occurrence{.at = at, .nominal = zone.to_local(at)};
  }

  std::optional<Occurrence> last(const Zone& zone, const Trigger& anchor, Timestamp from,
                                 Timestamp until) const override {
    if (until < anchor.at) return std::nullopt;
    const Timestamp at = anchor.at + (until - anchor.at) / period_ * period_;
    if (at < from) return std::nullopt;
    return Occurrence{.at = at, .nominal = zone.to_local(at)};
  }

  std::uint64_t count(const Zone&, const Trigger& anchor, Timestamp from, Timestamp before,
                      std::uint64_t limit) const override {
    // Each number is that of the occurrences from the anchor on that are before an instant.
    const auto number = [&](Timestamp instant) -> std::uint64_t {
      if (instant <= anchor.at) return 0;
      return static_cast<std::uint64_t>((instant - anchor.at - microseconds(1)) / period_) + 1;
    };
    return std::min(limit, number(before) - std::min(number(before), number(from)));
  }

 private:
  microseconds period_;
};

}  // namespace

SeriesPointer make_interval(microseconds period) { return std::make_shared<Interval>(period); }

}  // namespace holdfast::schedule
