#include <limits>

#include <holdfast/core/error.h>
#include <holdfast/scheduler/heartbeat.h>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A space with channels, and another process on the same database.
struct Scene {
  TestStore store;
  Heartbeats channels{*store.space};
  std::unique_ptr<Store> other_store = store.open_another();
  Space other = other_store->space("main", "other");

  /// What happens once, between a report's look for the note and its update.
  void once_after_look(std::function<void()> what) {
    store.environment.faults.arm([what, done = false](std::string_view point) mutable {
      if (point != "heartbeat.read" || done) return;
      done = true;
      what();
    });
  }
  void edit(std::string_view key, const std::function<void(Note&)>& change) {
    CHECK(other.notes().update(other.find_note(key)->id, change).applied());
  }
  void plant_note(const std::string& properties, std::optional<Timestamp> expires_at = {}) {
    Note note;
    note.kind = "heartbeat";
    note.key = "heartbeat:a";
    note.properties = JsonObject::parse("properties", properties);
    note.expires_at = expires_at;
    (void)written(store.space->notes().insert_if_absent(note));
  }
  std::string stored() { return store.space->find_note("heartbeat:a")->properties.text(); }
  Timestamp now() { return store.environment.clock.now(); }
  void pass(std::chrono::microseconds time) { store.environment.clock.advance(time); }
};

std::vector<std::string> names_of(const std::vector<ChannelHealth>& channels) {
  std::vector<std::string> names;
  for (const ChannelHealth& channel : channels) names.push_back(channel.channel);
  return names;
}

}  // namespace

TEST_CASE("a report makes a new note when the one it found loses its key", "[scheduler]") {
  Scene f;
  (void)f.channels.report({.channel = "a"});
  f.once_after_look([&] { f.edit("heartbeat:a", [](Note& row) { row.key.reset(); }); });
  const auto health = f.channels.report({.channel = "a"});
  CHECK((health.channel == "a" && health.attempts == 1));
  CHECK(f.channels.get("a").note == health.note);
}

TEST_CASE("a report is not counted for the channel that its note was moved to", "[scheduler]") {
  Scene f;
  (void)f.channels.report({.channel = "a"});
  f.once_after_look([&] { f.edit("heartbeat:a", [](Note& row) { row.key = "heartbeat:b"; }); });
  const auto health = f.channels.report({.channel = "a", .error = "down"});
  CHECK((health.channel == "a" && health.attempts == 1 && health.consecutive_failures == 1));
  CHECK(f.channels.get("b").attempts == 1);
  CHECK_FALSE(f.channels.get("b").is_failing());
}

TEST_CASE("a report is refused when its note becomes one of another kind", "[scheduler]") {
  Scene f;
  (void)f.channels.report({.channel = "a"});
  f.once_after_look([&] { f.edit("heartbeat:a", [](Note& row) { row.kind = "memo"; }); });
  const auto before = f.stored();
  CHECK_THROWS_AS(f.channels.report({.channel = "a"}), InvalidArgument);
  CHECK(f.stored() == before);
}

TEST_CASE("counters stop at the largest integer, and reports go on", "[scheduler]") {
  Scene f;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  f.plant_note(R"({"attempts":9223372036854775807,"consecutive_failures":9223372036854775807})");
  for (int i = 0; i < 3; ++i) {  // of which the last two change nothing: the clock stands still
    const auto health = f.channels.report({.channel = "a", .error = "down"});
    CHECK((health.attempts == most && health.consecutive_failures == most));
  }
  CHECK(f.channels.report({.channel = "a"}).consecutive_failures == 0);
}

TEST_CASE("a time at the end of what can be stored is a channel's silence", "[scheduler]") {
  const std::string time = GENERATE("-9223372036854775808", "9223372036854775807");
  Scene f;
  f.plant_note(R"({"interval":31622400000000,"last_attempt_at":)" + time + "}");
  CHECK(f.channels.get("a").is_stalled == true);
  const auto health = f.channels.report({.channel = "a"});
  CHECK(health.last_attempt_at == f.now());
  CHECK(health.is_stalled == false);
}

TEST_CASE("a channel whose note has expired is listed, and troubled like any other",
          "[scheduler]") {
  Scene f;
  f.plant_note(R"({"interval":1000})", f.now() + 1s);
  f.pass(2s);
  (void)f.channels.report({.channel = "a", .error = "down"});
  CHECK(names_of(f.channels.list().items) == std::vector<std::string>{"a"});
  CHECK(names_of(f.channels.troubled().items) == std::vector<std::string>{"a"});
}

TEST_CASE("a report by a clock that was far ahead hides no silence", "[scheduler]") {
  Scene f;
  const Timestamp real = f.now();
  f.store.environment.clock.set(real + std::chrono::days(3650));
  CHECK(f.channels.report({.channel = "a", .interval = 1s}).is_stalled == false);
  f.store.environment.clock.set(real);
  CHECK(f.channels.get("a").is_stalled == true);
  CHECK(names_of(f.channels.troubled().items) == std::vector<std::string>{"a"});
  const auto healed = f.channels.report({.channel = "a"});
  CHECK(healed.last_attempt_at == real);
  CHECK(healed.last_success_at == real);
  CHECK(healed.is_stalled == false);
}

TEST_CASE("clocks may differ by an interval, and by a minute", "[scheduler]") {
  const std::chrono::microseconds interval = GENERATE(1s, 600s);
  Scene f;
  const Timestamp start = f.now();
  const Timestamp ahead = start + std::max<std::chrono::microseconds>(interval, 1min);
  f.store.environment.clock.set(ahead);
  (void)f.channels.report({.channel = "a", .interval = interval});
  f.store.environment.clock.set(start);
  CHECK(f.channels.get("a").is_stalled == false);
  CHECK(f.channels.report({.channel = "a"}).last_attempt_at == ahead);
  f.store.environment.clock.set(start - 1us);
  CHECK(f.channels.get("a").is_stalled == true);
  CHECK(f.channels.report({.channel = "a"}).last_attempt_at == start - 1us);
}

TEST_CASE("credentials in a report's details are not stored", "[scheduler]") {
  Scene f;
  const auto details = JsonObject::parse(
      "details", R"({"url":"https://u:hunter2@h","login":{"password":"hunter2"},"n":1.50})");
  const auto health = f.channels.report({.channel = "a", .details = details});
  CHECK(health.details.text() ==
        R"({"url":"https://u:[masked]@h","login":{"password":"[masked]"},"n":1.50})");
  CHECK(f.stored().find("hunter2") == std::string::npos);
}

TEST_CASE("an error that says nothing is refused", "[scheduler]") {
  Scene f;
  (void)f.channels.report({.channel = "a"});
  CHECK_THROWS_WITH(f.channels.report({.channel = "a", .error = ""}),
                    Catch::Matchers::ContainsSubstring("error"));
  CHECK(f.channels.get("a").attempts == 1);
}

TEST_CASE("what is left out of the troubled channels is troubled", "[scheduler]") {
  Scene f;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    (void)f.channels.report({.channel = name});
  }
  for (const char* name : {"a", "d"}) (void)f.channels.report({.channel = name, .error = "down"});
  auto page = f.channels.troubled({.limit = 1});
  CHECK(names_of(page.items) == std::vector<std::string>{"a"});
  CHECK((page.left_out == 1 && !page.left_out_is_minimum && page.next));
  page = f.channels.troubled({.limit = 1, .cursor = *page.next});
  CHECK((page.items.empty() && page.left_out == 1 && page.next));
  page = f.channels.troubled({.limit = 2, .cursor = *page.next});
  CHECK(names_of(page.items) == std::vector<std::string>{"d"});
  CHECK((page.left_out == 0 && !page.next));
}

TEST_CASE("the troubled channels' pages end, and have each of them once", "[scheduler]") {
  Scene f;
  for (const char* name : {"a", "b", "c", "d", "e"}) (void)f.channels.report({.channel = name});
  for (const char* name : {"b", "e"}) (void)f.channels.report({.channel = name, .error = "down"});
  const std::size_t limit = GENERATE(1u, 2u, 3u, 10u);
  const auto read = [&](const PageRequest& request) { return f.channels.troubled(request); };
  CHECK(names_of(all_pages<ChannelHealth>(limit, read)) == std::vector<std::string>{"b", "e"});
}
