#include <limits>

#include <holdfast/core/error.h>

#include "sim/kinds.h"
#include "support/catch.h"
#include "support/fixture.h"

using namespace holdfast;
using namespace holdfast::test;
using std::chrono::hours;

namespace {

constexpr Revision kLast{std::numeric_limits<std::int64_t>::max()};
constexpr Revision kFarAhead{250'000'000'000'000'000};  // the year 9892

template <class Row>
Row stored_row(TestStore& s);
template <>
Entity stored_row<Entity>(TestStore& s) {
  return s.add_entity("Ada");
}
template <>
Edge stored_row<Edge>(TestStore& s) {
  return s.add_edge(s.add_entity("Ada").id, "knows", s.add_entity("Bob").id);
}
template <>
Note stored_row<Note>(TestStore& s) {
  return s.add_note("text");
}

template <class Row>
void count_up(Row& row) {
  const std::string& text = row.properties.text();
  const int n = text == "{}" ? 0 : std::stoi(text.substr(5));
  row.properties = JsonObject::parse("properties", "{\"n\":" + std::to_string(n + 1) + "}");
}

/// The row at a revision that no clock gave it.
template <class Row>
Row moved_to(TestStore& s, Row row, Revision revision) {
  const Expected read = as_read(row);
  row.revision = revision;
  return collection<Row>(*s.space).replace_if_unchanged(row, read).current.value();
}

}  // namespace

TEMPLATE_TEST_CASE("writes in one microsecond all land and each advances the revision (J11)",
                   "[sim]", Entity, Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  const auto first = stored_row<TestType>(s);
  const auto second = rows.update(first.id, count_up<TestType>).current.value();
  const auto third = rows.update(first.id, count_up<TestType>).current.value();
  CHECK(second.revision.us == first.revision.us + 1);
  CHECK(third.revision.us == first.revision.us + 2);
  const auto events = rows.history(first.id).items;
  REQUIRE(events.size() == 3);
  CHECK(events[0].at == events[2].at);
  CHECK(events[2].prev_seq == events[1].seq);
  CHECK(events[2].body->find("{\"n\":2}") != std::string::npos);
}

TEMPLATE_TEST_CASE("a write from a read of the same microsecond is refused when it is stale",
                   "[sim]", Entity, Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  auto read = stored_row<TestType>(s);
  const Expected expected = as_read(read);
  const auto winner = rows.update(read.id, count_up<TestType>).current.value();
  count_up(read);
  const auto refused = rows.replace(read, expected);
  CHECK(refused.outcome == Outcome::revision_moved);
  CHECK(refused.current == winner);
}

TEMPLATE_TEST_CASE("after the clock steps back an hour the next write lands and is read (J10)",
                   "[sim]", Entity, Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  const auto before = stored_row<TestType>(s);
  const auto tail = s.space->tail();
  s.environment.clock.set(s.environment.clock.now() - hours(1));
  const auto after = rows.update(before.id, count_up<TestType>).current.value();
  CHECK(after.revision.us == before.revision.us + 1);
  CHECK(rows.find(before.id) == after);
  CHECK(s.space->tail().at == tail.at);  // a space's time does not go back
  CHECK(rows.history(before.id).items.back().at == tail.at);
  CHECK(s.store->verify().is_clean());
}

TEMPLATE_TEST_CASE("a row that was changed far in the future can still be changed", "[sim]",
                   Entity, Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  const auto ahead = moved_to(s, stored_row<TestType>(s), kFarAhead);
  const auto updated = rows.update(ahead.id, count_up<TestType>);
  REQUIRE(updated.applied());
  CHECK(updated.current->revision.us == kFarAhead.us + 1);
  CHECK(rows.remove(ahead.id).current->revision.us == kFarAhead.us + 2);
  CHECK(rows.restore(ahead.id).current->revision.us == kFarAhead.us + 3);
}

TEMPLATE_TEST_CASE("a primitive that does not advance the revision is refused", "[sim]", Entity,
                   Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  auto row = stored_row<TestType>(s);
  const auto stored = row;
  count_up(row);
  CHECK(rows.replace_if_unchanged(row, as_read(stored)).outcome == Outcome::not_advanced);
  row.revision.us -= 1;
  const auto refused = rows.replace_if_unchanged(row, as_read(stored));
  CHECK(refused.outcome == Outcome::not_advanced);
  CHECK(refused.current == stored);
  CHECK(rows.find(row.id) == stored);
}

TEMPLATE_TEST_CASE("past the last revision every write is an error that touches nothing", "[sim]",
                   Entity, Edge, Note) {
  TestStore s;
  const auto& rows = collection<TestType>(*s.space);
  const auto last = moved_to(s, stored_row<TestType>(s), kLast);
  const auto tail = s.space->tail().seq;
  const auto patch = JsonObject::parse("patch", "{\"properties\":{\"n\":1}}");
  CHECK_THROWS_AS(rows.update(last.id, count_up<TestType>), InvalidArgument);
  CHECK_THROWS_AS(rows.patch(last.id, patch), InvalidArgument);
  CHECK_THROWS_AS(rows.replace(last, as_read(last)), InvalidArgument);
  CHECK_THROWS_AS(rows.remove(last.id), InvalidArgument);
  CHECK(rows.find(last.id) == last);
  CHECK(s.space->tail().seq == tail);
  CHECK(s.store->verify().is_clean());
}

TEST_CASE("an entity stays when one of its edges has no later revision to go with", "[sim]") {
  TestStore s;
  const Edge last = moved_to(s, stored_row<Edge>(s), kLast);
  const auto tail = s.space->tail().seq;
  CHECK_THROWS_AS(s.space->entities().remove(last.source), InvalidArgument);
  CHECK_FALSE(s.space->entities().get(last.source).deleted_at);
  CHECK(s.space->edges().find(last.id) == last);
  CHECK(s.space->tail().seq == tail);
}

TEST_CASE("one write under a clock far ahead does not take later revisions with it", "[sim]") {
  TestStore s;
  const Timestamp now = s.environment.clock.now();
  const Edge edge = stored_row<Edge>(s);
  s.environment.clock.set(from_us(kFarAhead.us));
  s.add_entity("from the future");
  s.environment.clock.set(now);
  const auto removed = s.space->entities().remove(edge.source);
  REQUIRE(removed.applied());
  CHECK(s.space->edges().get(edge.id).revision.us < to_us(now) + 100);
  CHECK(s.space->edges().get(edge.id).deleted_at == removed.current->deleted_at);
  Relation likes;
  likes.relation = "likes";
  const auto declared = s.space->declare_relation(likes);
  CHECK(declared.current->revision.us < to_us(now) + 100);
  CHECK(to_us(s.space->tail().at) == kFarAhead.us);
}
