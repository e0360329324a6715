#include <holdfast/scheduler/agenda.h>

#include <set>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/schedule/due.h>
#include <holdfast/schedule/recurrence.h>
#include <holdfast/schedule/trigger.h>

namespace holdfast {
namespace {

using schedule::DuePlace;

struct Earlier {
  bool operator()(const AgendaItem& a, const AgendaItem& b) const {
    return a.at != b.at ? a.at < b.at : a.event.id < b.event.id;
  }
};

/// The first so many items behind a place.
class FirstItems {
 public:
  FirstItems(const DuePlace& after, std::optional<Timestamp> end, std::size_t count)
      : after_(after), end_(end), count_(count) {}

  /// Whether nothing from that instant on can be among them.
  bool is_behind(Timestamp at) const {
    if (end_ && at >= *end_) return true;
    return items_.size() > count_ && at > items_.rbegin()->at;
  }

  void add_all(const ScheduledEvent& event) {
    try {
      add(event, event.trigger_at);
      if (event.repeat) add_repeats(event);
    } catch (const InvalidArgument&) {
      // Its times cannot be read, or end here: the scheduler says so when it is due.
    }
  }

  std::vector<AgendaItem> take() { return {items_.begin(), items_.end()}; }

 private:
  void add(const ScheduledEvent& event, Timestamp at) {
    if (end_ && at >= *end_) return;
    if (at < after_.trigger_at || (at == after_.trigger_at && !(after_.id < event.id))) return;
    items_.insert({.at = at, .event = event});
    if (items_.size() > count_ + 1) items_.erase(std::prev(items_.end()));
  }

  void add_repeats(const ScheduledEvent& event) {
    const auto zone = schedule::Zone::parse("zone", event.zone);
    const auto anchor =
        schedule::parse_trigger("anchor", event.anchor.value_or(event.trigger_text), zone);
    const auto repeat = schedule::Recurrence::parse("repeat", *event.repeat);
    // What lies before the place is jumped over.
    Timestamp at = std::max(event.trigger_at, after_.trigger_at - std::chrono::microseconds(1));
    for (;;) {
      at = repeat.next(zone, anchor, at).at;
      if (is_behind(at)) return;
      add(event, at);
    }
  }

  DuePlace after_;
  std::optional<Timestamp> end_;
  std::size_t count_;
  std::set<AgendaItem, Earlier> items_;
};

}  // namespace

Page<AgendaItem> agenda(const Space& space, const TimeRange& range, const PageRequest& request) {
  core::check_limit("limit", request.limit);
  const Access& access = space.access();
  const Timestamp from = range.from.value_or(access.environment.clock.now());
  if (range.to && *range.to < from) {
    throw InvalidArgument("to", to_rfc3339(*range.to), "not be before the beginning");
  }
  const std::string tag = "agenda to " + (range.to ? std::to_string(to_us(*range.to)) : "ever");
  DuePlace after{.trigger_at = from, .id = {}};
  if (!request.cursor.empty()) {
    const auto key = storage::read_cursor(tag, request.cursor, 2);
    after = {.trigger_at = parse_timestamp("cursor", key[0]),
             .id = ScheduledEventId::parse("cursor", key[1])};
  }
  FirstItems first(after, range.to, request.limit);
  const auto snapshot = access.database.snapshot();
  (void)journal::tail(snapshot->transaction(), space.name());  // the space must be there
  constexpr std::size_t kEventsAtOnce = 1000;
  DuePlace place{.trigger_at = Timestamp::min(), .id = {}};
  for (;;) {
    const auto events = schedule::pending_events(snapshot->transaction(), space.name(), place,
                                                 kEventsAtOnce);
    for (const ScheduledEvent& event : events) {
      if (first.is_behind(event.trigger_at)) break;
      first.add_all(event);
    }
    if (events.size() < kEventsAtOnce || first.is_behind(events.back().trigger_at)) break;
    place = {.trigger_at = events.back().trigger_at, .id = events.back().id};
  }
  Page<AgendaItem> page;
  page.items = first.take();
  if (page.items.size() <= request.limit) return page;
  page.items.pop_back();
  page.left_out = 1;
  page.left_out_is_minimum = true;
  const AgendaItem& last = page.items.back();
  page.next = storage::write_cursor(
      tag, {std::to_string(to_us(last.at)), to_string(last.event.id)});
  return page;
}

}  // namespace holdfast
