#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/fixture.h"

namespace holdfast::test {

using namespace std::chrono_literals;

/// Every row of every space, deleted ones included, and where each journal ends: equal texts mean
/// that nothing was written in between.
std::string picture(Store& store);

/// The names of the checks that verify() finds broken.
std::set<std::string> broken_checks(Store& store);

/// Runs one statement below the stores, as nothing of ours ever would: to plant corruption.
void plant(Store& store, std::string_view sql);

/// All events of the space, oldest first.
std::vector<Event> journal_of(Store& store, std::string_view space = "main");

/// An instant that many microseconds after 2026-01-01T00:00:00Z.
Timestamp at_us(std::int64_t us);

/// The row of a write that must have been applied.
template <class Row>
Row written(const WriteResult<Row>& result) {
  INFO("outcome " << to_string(result.outcome));
  REQUIRE(result.applied());
  REQUIRE(result.current.has_value());
  return *result.current;
}

/// Every item of a list, read in pages of `limit`; `between` runs after each page.
template <class Item, class Read>
std::vector<Item> all_pages(std::size_t limit, const Read& read,
                            const std::function<void()>& between = {}) {
  std::vector<Item> items;
  PageRequest request{.limit = limit, .cursor = {}};
  for (;;) {
    Page<Item> page = read(request);
    items.insert(items.end(), page.items.begin(), page.items.end());
    if (!page.next) return items;
    request.cursor = *page.next;
    if (between) between();
  }
}

/// The ids of rows, in their order.
template <class Row>
auto ids_of(const std::vector<Row>& rows) {
  std::vector<decltype(Row::id)> ids;
  for (const Row& row : rows) ids.push_back(row.id);
  return ids;
}

/// The InvalidArgument that `call` must throw, as "field: rule".
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.field() + ": " + error.rule();
  }
  return "not refused";
}

/// Moves the clock on, so that what comes next has times and revisions of its own.
inline void pass_time(TestStore& store) {
  store.environment.clock.advance(1s);
}

/// Another handle on the test's database, under the system's clock: where threads wait for each
/// other, the manual one runs ahead at every sleep until their limits are over.
std::unique_ptr<Store> open_in_real_time(TestStore& store);

/// Rows to be written.
Edge edge_between(EntityId source, const std::string& relation, EntityId target);
Relation relation_named(const std::string& name);
Relation symmetric_relation(const std::string& name);

}  // namespace holdfast::test
