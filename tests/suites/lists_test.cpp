#include <algorithm>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// One row each second, so that their times can be told apart.
template <class Kind>
std::vector<typename Kind::Row> add_rows(TestStore& store, int count) {
  std::vector<typename Kind::Row> rows;
  for (int i = 0; i < count; ++i) {
    pass_time(store);
    rows.push_back(Kind::add(store, *store.space, "row " + std::to_string(i)));
  }
  return rows;
}

template <class Row>
auto sorted_ids(const std::vector<Row>& rows) {
  auto ids = ids_of(rows);
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Entities in one transaction; their names do not matter.
void add_many(TestStore& store, std::size_t count) {
  store.space->write([&](journal::Appender& appender) {
    Entity entity;
    entity.kind = "person";
    entity.name = "one of many";
    entity.created_at = appender.at();
    entity.revision = first_revision(appender.at());
    for (std::size_t i = 0; i < count; ++i) {
      entity.id = {store.environment.ids->next()};
      (void)graph::EntityStore::insert_if_absent(appender, entity);
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("pages of any size list every row once, in the order of ids", "[list]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto& rows = TestType::in(*store.space);
  add_rows<TestType>(store, 5);
  const auto all = rows.list({}).items;
  REQUIRE(all.size() == rows.count({}));
  CHECK(sorted_ids(all) == ids_of(all));
  for (const std::size_t limit : {1U, 2U, 3U, 5U, 100U}) {
    const auto paged = all_pages<typename TestType::Row>(
        limit, [&](const PageRequest& request) { return rows.list({}, request); });
    CHECK((paged == all));
  }
}

TEMPLATE_TEST_CASE("each page says how many rows it leaves out", "[list]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  add_rows<TestType>(store, 3);
  const auto& rows = TestType::in(*store.space);
  const auto total = rows.count({});
  PageRequest request{.limit = 1, .cursor = {}};
  for (std::uint64_t seen = 1; seen < total; ++seen) {
    const auto page = rows.list({}, request);
    CHECK(page.left_out == total - seen);
    CHECK_FALSE(page.left_out_is_minimum);
    REQUIRE(page.next.has_value());
    request.cursor = *page.next;
  }
  const auto last = rows.list({}, request);
  CHECK(last.items.size() == 1);
  CHECK(last.left_out == 0);
  CHECK_FALSE(last.next.has_value());
}

TEST_CASE("a page that ends exactly at the last row has no next", "[list]") {
  TestStore store;
  add_rows<EntityKind>(store, 3);
  const auto page = store.space->entities().list({}, {.limit = 3, .cursor = {}});
  CHECK(page.items.size() == 3);
  CHECK_FALSE(page.next.has_value());
}

TEST_CASE("left-out rows are counted up to 10,000 and said to be a minimum beyond", "[list]") {
  TestStore store;
  add_many(store, 10'001);
  const PageRequest one{.limit = 1, .cursor = {}};
  auto page = store.space->entities().list({}, one);
  CHECK(page.left_out == 10'000);
  CHECK_FALSE(page.left_out_is_minimum);
  add_many(store, 1);
  page = store.space->entities().list({}, one);
  CHECK(page.left_out == 10'000);
  CHECK(page.left_out_is_minimum);
}

TEMPLATE_TEST_CASE("paging is stable under writes", "[list]", EntityKind, EdgeKind, NoteKind,
                   ScheduledKind) {
  TestStore store;
  const auto there = sorted_ids(add_rows<TestType>(store, 5));
  const auto& rows = TestType::in(*store.space);
  const auto paged = all_pages<typename TestType::Row>(
      2, [&](const PageRequest& request) { return rows.list({}, request); },
      [&] {
        TestType::add(store, *store.space, "meanwhile");
        written(rows.update(there.back(), &TestType::edit));
      });
  for (const auto& id : there) {
    const auto ids = ids_of(paged);
    CHECK(std::count(ids.begin(), ids.end(), id) == 1);
  }
}

TEST_CASE("a limit outside 1 to 10,000 is an error", "[list]") {
  TestStore store;
  const auto list = [&](std::size_t limit) {
    return refusal_of([&] { store.space->entities().list({}, {.limit = limit, .cursor = {}}); });
  };
  CHECK(list(0) == "limit: be 1 to 10,000");
  CHECK(list(10'001) == "limit: be 1 to 10,000");
  CHECK(list(1) == "not refused");
  CHECK(list(10'000) == "not refused");
}

TEST_CASE("a cursor of another query, order, space or list is refused", "[list]") {
  TestStore store;
  add_rows<EntityKind>(store, 3);
  const auto& entities = store.space->entities();
  const std::string cursor = *entities.list({}, {.limit = 1, .cursor = {}}).next;
  const PageRequest request{.limit = 1, .cursor = cursor};
  const std::string rule = "cursor: come from a list with the same filter, order and space";
  EntityFilter kind;
  kind.kind = "person";
  EntityFilter prefix;
  prefix.name_prefix = "row";
  const Space other = store.store->create_space("other", "tester");
  CHECK(refusal_of([&] { entities.list(kind, request); }) == rule);
  CHECK(refusal_of([&] { entities.list(prefix, request); }) == rule);
  CHECK(refusal_of([&] { other.entities().list({}, request); }) == rule);
  CHECK(refusal_of([&] { store.space->notes().list({}, request); }) == rule);
  CHECK(refusal_of([&] { entities.list({}, request); }) == "not refused");
}

TEST_CASE("a cursor that was mistyped is refused wherever it was", "[list]") {
  TestStore store;
  add_rows<EntityKind>(store, 3);
  const auto& entities = store.space->entities();
  const std::string cursor = *entities.list({}, {.limit = 1, .cursor = {}}).next;
  for (std::size_t at = 0; at < cursor.size(); ++at) {
    std::string wrong = cursor;
    wrong[at] = wrong[at] == '0' ? '1' : '0';
    CHECK_THROWS_AS(entities.list({}, {.limit = 1, .cursor = wrong}), InvalidArgument);
  }
  CHECK_THROWS_AS(entities.list({}, {.limit = 1, .cursor = "x"}), InvalidArgument);
  CHECK_THROWS_AS(entities.list({}, {.limit = 1, .cursor = cursor + "-00"}), InvalidArgument);
}

TEMPLATE_TEST_CASE("lists hide tombstones unless asked for them", "[list]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  const auto live = TestType::add(store, *store.space, "live");
  const auto row = TestType::add(store, *store.space, "dead");
  const auto& rows = TestType::in(*store.space);
  const auto dead = written(rows.remove(row.id));
  typename std::decay_t<decltype(rows)>::Filter filter;
  const auto listed = [&](Deleted deleted) {
    filter.deleted = deleted;
    const auto ids = ids_of(rows.list(filter).items);
    CHECK(rows.count(filter) == ids.size());
    return std::pair(std::count(ids.begin(), ids.end(), live.id),
                     std::count(ids.begin(), ids.end(), dead.id));
  };
  CHECK(listed(Deleted::exclude) == std::pair<std::ptrdiff_t, std::ptrdiff_t>(1, 0));
  CHECK(listed(Deleted::include) == std::pair<std::ptrdiff_t, std::ptrdiff_t>(1, 1));
  CHECK(listed(Deleted::only) == std::pair<std::ptrdiff_t, std::ptrdiff_t>(0, 1));
}

TEMPLATE_TEST_CASE("ranges of creation and change hold their start and not their end", "[list]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto rows = add_rows<TestType>(store, 3);
  typename std::decay_t<decltype(TestType::in(*store.space))>::Filter filter;
  filter.created = {.from = rows[1].created_at, .to = rows[2].created_at};
  CHECK(ids_of(TestType::in(*store.space).list(filter).items) == std::vector{rows[1].id});

  pass_time(store);
  const auto edited = written(TestType::in(*store.space).update(rows[0].id, &TestType::edit));
  filter.created = {};
  filter.changed.from = from_us(edited.revision.us);
  CHECK(ids_of(TestType::in(*store.space).list(filter).items) == std::vector{rows[0].id});
  filter.changed = {.from = {}, .to = from_us(rows[1].revision.us)};
  CHECK(TestType::in(*store.space).count(filter) == 0);
}

TEST_CASE("a range that ends before it starts is an error, an empty one is not", "[list]") {
  TestStore store;
  EntityFilter filter;
  filter.created = {.from = at_us(2), .to = at_us(1)};
  CHECK_THROWS_AS(store.space->entities().list(filter), InvalidArgument);
  filter.created = {.from = at_us(2), .to = at_us(2)};
  CHECK(store.space->entities().count(filter) == 0);
}

TEST_CASE("entities are filtered by kind, name and the start of a name", "[list]") {
  TestStore store;
  store.add_entity("Ann");
  store.add_entity("Anna");
  store.add_entity("Bob");
  store.add_entity("Ann", "place");
  EntityFilter filter;
  filter.kind = "place";
  CHECK(store.space->entities().count(filter) == 1);
  filter.kind.reset();
  filter.name = "Ann";
  CHECK(store.space->entities().count(filter) == 2);
  filter.name.reset();
  filter.name_prefix = "Ann";
  std::vector<std::string> names;
  for (const Entity& entity : all_pages<Entity>(1, [&](const PageRequest& request) {
         return store.space->entities().list(filter, request);
       })) {
    names.push_back(entity.name);
  }
  CHECK(names == std::vector<std::string>{"Ann", "Ann", "Anna"});
  filter.name_prefix = "%";
  CHECK(store.space->entities().count(filter) == 0);
}
