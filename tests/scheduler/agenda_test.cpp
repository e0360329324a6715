#include <holdfast/scheduler/agenda.h>

#include "support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

std::vector<std::pair<Timestamp, ScheduledEventId>> places(const std::vector<AgendaItem>& items) {
  std::vector<std::pair<Timestamp, ScheduledEventId>> all;
  for (const AgendaItem& item : items) all.emplace_back(item.at, item.event.id);
  return all;
}

}  // namespace

TEST_CASE("the agenda is every trigger and repeat in the range, in order of time", "[agenda]") {
  SchedulerScene f;
  std::vector<std::pair<Timestamp, ScheduledEventId>> expected;
  for (int i = 0; i < 5; ++i) {
    const auto event = f.act(after_start(i * 7min), "every:11m");
    for (auto at = event.trigger_at; at < at_us(0) + 2h; at += 11min) {
      expected.emplace_back(at, event.id);
    }
  }
  const auto once = f.act(after_start(33min));
  expected.emplace_back(once.trigger_at, once.id);
  (void)f.act(after_start(2h));
  const auto cancelled = f.act(after_start(1h));
  (void)f.patch(cancelled, R"({"status":"cancelled"})");
  std::sort(expected.begin(), expected.end());
  const TimeRange range{.from = {}, .to = at_us(0) + 2h};
  CHECK(places(agenda(*f.store.space, range).items) == expected);
  for (const std::size_t limit : {1U, 3U, 7U}) {
    CHECK(places(all_pages<AgendaItem>(limit, [&](const PageRequest& page) {
            return agenda(*f.store.space, range, page);
          })) == expected);
  }
}

TEST_CASE("an agenda without an end goes on as far as it is paged", "[agenda]") {
  SchedulerScene f;
  (void)f.act(after_start(1h), "daily");
  const auto page = agenda(*f.store.space, {}, {.limit = 1000});
  CHECK(page.items.size() == 1000);
  CHECK((page.next.has_value() && page.left_out_is_minimum));
  const auto later = agenda(*f.store.space, {.from = at_us(0) + 240h, .to = {}}, {.limit = 1});
  CHECK(later.items.front().at == at_us(0) + 241h);
}
