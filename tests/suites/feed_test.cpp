#include <atomic>
#include <thread>

#include <holdfast/core/error.h>

#include "suites/kinds.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

std::vector<Sequence> seqs(const std::vector<Event>& events) {
  std::vector<Sequence> numbers;
  for (const Event& event : events) numbers.push_back(event.seq);
  return numbers;
}

std::vector<Sequence> from_to(Sequence first, Sequence last) {
  std::vector<Sequence> numbers;
  for (Sequence seq = first; seq <= last; ++seq) numbers.push_back(seq);
  return numbers;
}

/// Waits in a thread of its own for what comes after the journal's present end. Ready to be woken
/// as soon as it is made: what is written from then on is after that end, however late the thread.
class Follower {
 public:
  explicit Follower(const Space& space) : after_(space.tail().seq), thread_([this, space] {
    events_ = space.tail(after_, 10, 60s);
  }) {}
  /// What it was woken with.
  std::vector<Event> events() {
    thread_.join();
    return events_;
  }

 private:
  Sequence after_;
  std::vector<Event> events_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("the feed gives every event once, in order and without gaps", "[feed]") {
  TestStore store;
  for (int i = 0; i < 7; ++i) store.add_entity("entity");
  const Sequence end = store.space->tail().seq;
  for (const std::size_t limit : {1U, 3U, 100U}) {
    std::vector<Event> all;
    for (Sequence after = 0; after < end; after = all.back().seq) {
      const auto events = store.space->tail(after, limit);
      REQUIRE(!events.empty());
      REQUIRE(events.front().seq == after + 1);
      CHECK(events.size() <= limit);
      all.insert(all.end(), events.begin(), events.end());
    }
    CHECK(seqs(all) == from_to(1, end));
    const auto journal = journal_of(*store.store);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].body == journal[i].body);
  }
}

TEST_CASE("the feed after the last event is empty at once when nobody waits", "[feed]") {
  TestStore store;
  CHECK(store.space->tail(store.space->tail().seq, 10).empty());
}

TEST_CASE("the feed is of one space, whatever happens in others", "[feed]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const Sequence end = store.space->tail().seq;
  EntityKind::add(store, other, "theirs");
  CHECK(store.space->tail(end, 10).empty());
  CHECK(seqs(other.tail(0, 10)) == from_to(1, 2));
}

TEST_CASE("the feed refuses a sequence that is still to come, and limits out of bounds",
          "[feed]") {
  TestStore store;
  const Sequence end = store.space->tail().seq;
  CHECK_THAT(refusal_of([&] { (void)store.space->tail(end + 1, 10); }),
             Catch::Matchers::ContainsSubstring("after: not be after the journal's end, " +
                                                std::to_string(end)));
  CHECK_THROWS_AS(store.space->tail(0, 0), InvalidArgument);
  CHECK_THROWS_AS(store.space->tail(0, 10'001), InvalidArgument);
  CHECK(store.space->tail(0, 10'000).size() == end);
}

TEST_CASE("the feed shows purged events without their bodies", "[feed]") {
  TestStore store;
  const Entity row = store.add_entity("secret");
  written(store.space->entities().remove(row.id));
  REQUIRE(store.space->entities().purge(row.id).applied());
  const auto events = store.space->tail(1, 10);
  REQUIRE(events.size() == 3);
  for (const Event& event : events) CHECK_FALSE(event.body.has_value());
  CHECK(events.back().op == "purge");
}

TEST_CASE("a wait ends empty when its time is up, not before", "[feed]") {
  TestStore store;
  const auto real = open_in_real_time(store);
  const Space space = real->space("main", "follower");
  core::SystemClock clock;
  const auto start = clock.elapsed();
  CHECK(space.tail(space.tail().seq, 10, 50ms).empty());
  CHECK(clock.elapsed() - start >= 50ms);
}

TEST_CASE("a wait ends with a commit of another handle on the file", "[feed]") {
  TestStore store;
  const auto real = open_in_real_time(store);
  Follower follower(real->space("main", "follower"));
  const Entity row = store.add_entity("new");
  const auto events = follower.events();
  REQUIRE(events.size() == 1);
  CHECK(events.front().id == row.id.uuid);
}

TEST_CASE("a wait ends with a commit of another thread", "[feed]") {
  TestStore store;
  const auto real = open_in_real_time(store);
  const Space space = real->space("main", "follower");
  Follower follower(space);
  written(space.entities().insert_if_absent(EntityKind::fresh(store, space, "new")));
  CHECK(follower.events().size() == 1);
}

TEST_CASE("a wait goes on over commits of other spaces", "[feed]") {
  TestStore store;
  const Space other = store.store->create_space("other", "tester");
  const auto real = open_in_real_time(store);
  Follower follower(real->space("main", "follower"));
  for (int i = 0; i < 5; ++i) EntityKind::add(store, other, "theirs");
  const Entity row = store.add_entity("mine");
  const auto events = follower.events();
  REQUIRE(events.size() == 1);
  CHECK(events.front().id == row.id.uuid);
}

TEST_CASE("who follows from the start sees all that four writers write, in order", "[feed]") {
  TestStore store;
  const auto real = open_in_real_time(store);
  const Space space = real->space("main", "follower");
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      const auto own = open_in_real_time(store);
      const Space mine = own->space("main", "writer");
      for (int i = 0; i < 25; ++i) {
        Entity entity;
        entity.kind = "person";
        entity.name = "one of many";
        (void)mine.entities().insert_if_absent(entity);
      }
    });
  }
  std::vector<Sequence> seen;
  while (seen.size() < 101) {
    const auto events = space.tail(seen.size(), 7, 60s);
    if (events.empty() || events.front().seq != seen.size() + 1) break;
    for (const Event& event : events) seen.push_back(event.seq);
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(seen == from_to(1, 101));
}
