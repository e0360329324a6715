#include <algorithm>
#include <map>

#include <holdfast/core/error.h>

#include "suites/kinds.h"
#include "suites/known_values.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Op = PropertyOperator;

template <class Kind>
using FilterOf = typename std::decay_t<decltype(Kind::in(std::declval<const Space&>()))>::Filter;
template <class Kind>
constexpr bool kHasTags = requires(typename Kind::Row row) { row.tags; };

const std::vector<std::string> kTags = {"red", "green", "blue", "red,green"};
const std::vector<std::string> kPointers = {"/a", "/b/c", "/list/0", "/list/1"};

/// What a row was made of, in terms of the table of known values.
template <class Kind>
struct Made {
  typename Kind::Row row;
  std::map<std::string, const KnownValue*> values;  ///< by pointer
};

const KnownValue& any_value(core::Random& random) {
  return kKnownValues.at(random.below(kKnownValues.size()));
}

std::vector<std::string> some_tags(core::Random& random) {
  std::vector<std::string> tags;
  for (const std::string& tag : kTags) {
    if (random.below(3) == 0) tags.push_back(tag);
  }
  return tags;
}

/// Properties in which each of kPointers leads to a known value or to nothing.
std::string random_properties(core::Random& random,
                              std::map<std::string, const KnownValue*>& values) {
  const auto text = [&](const std::string& pointer) {
    return std::string((values[pointer] = &any_value(random))->text);
  };
  std::string json = R"({"z":0)";
  if (random.below(4) != 0) json += R"(,"a":)" + text("/a");
  if (random.below(4) != 0) json += R"(,"b":{"c":)" + text("/b/c") + "}";
  if (random.below(4) != 0) {
    json += R"(,"list":[)" + text("/list/0");
    if (random.below(2) == 0) json += "," + text("/list/1");
    json += "]";
  }
  return json + "}";
}

template <class Kind>
typename Kind::Row add_row(TestStore& store, const std::string& properties,
                           const std::vector<std::string>& tags = {},
                           const std::string& name = "row") {
  pass_time(store);
  auto row = Kind::fresh(store, *store.space, name);
  row.properties = JsonObject::parse("properties", properties);
  if constexpr (kHasTags<Kind>) row.tags = tags;
  return written(Kind::in(*store.space).insert_if_absent(row));
}

template <class Kind>
std::vector<Made<Kind>> add_random_rows(TestStore& store, std::size_t count) {
  std::vector<Made<Kind>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Made<Kind> made;
    const auto properties = random_properties(store.environment.random, made.values);
    made.row = add_row<Kind>(store, properties, some_tags(store.environment.random));
    rows.push_back(std::move(made));
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& left, const auto& right) { return left.row.id < right.row.id; });
  return rows;
}

/// One condition, and what the table says of it.
struct Wanted {
  std::string pointer;
  Op op;
  const KnownValue* value;

  explicit Wanted(core::Random& random)
      : pointer(kPointers.at(random.below(kPointers.size()))),
        op(kAllOperators.at(random.below(kAllOperators.size()))),
        value(&any_value(random)) {
    while (!value->is_scalar() || (orders(op) && !value->has_order())) value = &any_value(random);
  }
  PropertyCondition condition() const { return condition_on(pointer, op, *value); }
  bool holds(const std::map<std::string, const KnownValue*>& values) const {
    const auto there = values.find(pointer);
    return should_match(there == values.end() ? nullptr : there->second, op, *value);
  }
};

bool has_any(const std::vector<std::string>& tags, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::find_first_of(tags.begin(), tags.end(), wanted.begin(),
                                              wanted.end()) != tags.end();
}

bool has_all(const std::vector<std::string>& tags, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& tag) {
    return std::count(tags.begin(), tags.end(), tag) == 1;
  });
}

/// Lists by `filter` in pages of `limit`: each says how many of `expected` it leaves out.
template <class Kind>
void check_pages(const TestStore& store, const FilterOf<Kind>& filter,
                 const std::vector<decltype(Kind::Row::id)>& expected, std::size_t limit) {
  std::size_t seen = 0;
  const auto paged = all_pages<typename Kind::Row>(limit, [&](const PageRequest& request) {
    auto page = Kind::in(*store.space).list(filter, request);
    seen += page.items.size();
    CHECK(page.left_out == expected.size() - seen);
    CHECK(page.next.has_value() == (seen < expected.size()));
    CHECK_FALSE(page.left_out_is_minimum);
    return page;
  });
  CHECK(ids_of(paged) == expected);
}

template <class Kind>
void check_filter(const TestStore& store, const FilterOf<Kind>& filter,
                  const std::vector<decltype(Kind::Row::id)>& expected) {
  CHECK(Kind::in(*store.space).count(filter) == expected.size());
  for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
    check_pages<Kind>(store, filter, expected, limit);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("random filters list, page and count what the table of values says", "[filter]",
                   EntityKind, EdgeKind, NoteKind, ScheduledKind) {
  TestStore store(7);
  auto& random = store.environment.random;
  const auto rows = add_random_rows<TestType>(store, 24);
  for (int round = 0; round < 60; ++round) {
    FilterOf<TestType> filter;
    std::vector<Wanted> wanted;
    for (auto count = random.below(3); count > 0; --count) {
      wanted.emplace_back(random);
      filter.where.push_back(wanted.back().condition());
    }
    std::vector<std::string> any;
    std::vector<std::string> all;
    if constexpr (kHasTags<TestType>) {
      filter.tags_any = any = some_tags(random);
      if (random.below(2) == 0) filter.tags_all = all = some_tags(random);
    }
    std::vector<decltype(TestType::Row::id)> expected;
    for (const auto& made : rows) {
      bool holds = std::all_of(wanted.begin(), wanted.end(),
                               [&](const Wanted& one) { return one.holds(made.values); });
      if constexpr (kHasTags<TestType>) {
        holds = holds && has_any(made.row.tags, any) && has_all(made.row.tags, all);
      }
      if (holds) expected.push_back(made.row.id);
    }
    check_filter<TestType>(store, filter, expected);
  }
}

TEMPLATE_TEST_CASE("conditions narrow what the other filters leave", "[filter]", EntityKind,
                   EdgeKind, NoteKind, ScheduledKind) {
  TestStore store;
  const auto first = add_row<TestType>(store, R"({"n":1})");
  const auto second = add_row<TestType>(store, R"({"n":1})");
  const auto dead = add_row<TestType>(store, R"({"n":1})");
  add_row<TestType>(store, R"({"n":2})");
  written(TestType::in(*store.space).remove(dead.id));
  FilterOf<TestType> filter;
  filter.where = {{"/n", Op::eq, 1}};
  check_filter<TestType>(store, filter, {first.id, second.id});
  filter.created.from = second.created_at;
  check_filter<TestType>(store, filter, {second.id});
  filter.deleted = Deleted::only;
  check_filter<TestType>(store, filter, {dead.id});
}

TEMPLATE_TEST_CASE("paging by conditions is stable under writes", "[filter]", EntityKind, EdgeKind,
                   NoteKind, ScheduledKind) {
  TestStore store;
  std::vector<decltype(TestType::Row::id)> there;
  for (int i = 0; i < 5; ++i) {
    add_row<TestType>(store, R"({"n":2})");
    there.push_back(add_row<TestType>(store, R"({"n":1})").id);
  }
  FilterOf<TestType> filter;
  filter.where = {{"/n", Op::eq, 1}};
  const auto& rows = TestType::in(*store.space);
  const auto paged = all_pages<typename TestType::Row>(
      2, [&](const PageRequest& request) { return rows.list(filter, request); },
      [&] {
        add_row<TestType>(store, R"({"n":1})");
        written(rows.update(there.back(), &TestType::edit));
      });
  for (const auto& id : there) {
    const auto ids = ids_of(paged);
    CHECK(std::count(ids.begin(), ids.end(), id) == 1);
  }
}

TEST_CASE("matches left out are counted up to 10,000 and said to be a minimum beyond", "[filter]") {
  TestStore store;
  const auto add = [&](std::size_t count) {
    store.space->write([&](journal::Appender& appender) {
      for (std::size_t i = 0; i < count; ++i) {
        Entity entity = EntityKind::fresh(store, *store.space, "one of many");
        entity.id = {store.environment.ids->next()};
        entity.created_at = appender.at();
        entity.revision = first_revision(appender.at());
        (void)graph::EntityStore::insert_if_absent(appender, entity);
      }
    });
  };
  add(10'001);
  EntityFilter filter;
  filter.tags_all = {"one"};
  const PageRequest one{.limit = 1, .cursor = {}};
  auto page = store.space->entities().list(filter, one);
  CHECK(page.left_out == 10'000);
  CHECK_FALSE(page.left_out_is_minimum);
  add(1);
  page = store.space->entities().list(filter, one);
  CHECK(page.left_out == 10'000);
  CHECK(page.left_out_is_minimum);
  CHECK(store.space->entities().count(filter) == 10'002);
}

TEST_CASE("a cursor is of one filter, tags and conditions included", "[filter]") {
  TestStore store;
  const std::vector<std::string> tags = {"a", "b", "a b", "1:b"};
  for (int i = 0; i < 2; ++i) add_row<EntityKind>(store, R"({"n":1})", tags);
  std::vector<EntityFilter> filters(8);
  filters[1].tags_any = {"a"};
  filters[2].tags_all = {"a"};
  filters[3].tags_any = {"a", "b"};
  filters[4].tags_any = {"a b"};
  filters[5].where = {{"/n", Op::eq, 1}};
  filters[6].where = {{"/n", Op::ge, 1}};
  filters[7].where = {{"/n", Op::ne, "1"}};
  const auto& entities = store.space->entities();
  for (std::size_t from = 0; from < filters.size(); ++from) {
    const auto page = entities.list(filters[from], {.limit = 1, .cursor = {}});
    REQUIRE(page.next.has_value());
    for (std::size_t to = 0; to < filters.size(); ++to) {
      const auto refusal = refusal_of(
          [&] { entities.list(filters[to], {.limit = 1, .cursor = *page.next}); });
      INFO(from << " to " << to);
      CHECK(refusal ==
            (from == to ? "not refused"
                        : "cursor: come from a list with the same filter, order and space"));
    }
  }
}

TEST_CASE("tags are asked for in the form in which they are stored", "[filter]") {
  TestStore store;
  const auto row = add_row<NoteKind>(store, "{}", {"\xC3\xA9"});
  NoteFilter filter;
  filter.tags_any = {"e\xCC\x81", "other"};
  check_filter<NoteKind>(store, filter, {row.id});
  filter.tags_all = {"e\xCC\x81", "\xC3\xA9"};
  check_filter<NoteKind>(store, filter, {row.id});
  filter.tags_any = {""};
  CHECK(refusal_of([&] { store.space->notes().count(filter); }) ==
        "tags_any[0]: be 1 to 1,024 bytes");
  filter.tags_any = {};
  filter.tags_all = std::vector<std::string>(257, "a");
  CHECK(refusal_of([&] { store.space->notes().list(filter); }) == "tags_all: be at most 256 tags");
}

TEST_CASE("entities by the start of a name and by conditions keep the order of names", "[filter]") {
  TestStore store;
  for (const std::string name : {"Anna", "Bob", "Ann", "Andy", "Ann"}) {
    add_row<EntityKind>(store, name == "Andy" ? "{}" : R"({"n":1})", {}, name);
  }
  EntityFilter filter;
  filter.name_prefix = "An";
  filter.where = {{"/n", Op::exists, nullptr}};
  for (const std::size_t limit : {1U, 2U, 3U, 4U}) {
    std::vector<std::string> names;
    for (const Entity& entity : all_pages<Entity>(limit, [&](const PageRequest& request) {
           return store.space->entities().list(filter, request);
         })) {
      names.push_back(entity.name);
    }
    CHECK(names == std::vector<std::string>{"Ann", "Ann", "Anna"});
  }
}
