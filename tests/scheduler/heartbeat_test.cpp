#include <holdfast/scheduler/heartbeat.h>

#include <latch>
#include <map>
#include <thread>

#include "suites/support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// The channels of the store's space.
Heartbeats channels(const TestStore& store) {
  return Heartbeats(*store.space);
}

HeartbeatReport report_of(const std::string& channel, std::optional<std::string> error = {}) {
  return {.channel = channel, .error = std::move(error)};
}

/// Has something happen between the next report's read and its write.
void once_after_read(TestStore& store, std::function<void()> what) {
  store.environment.faults.arm([what, is_done = false](std::string_view point) mutable {
    if (point != "heartbeat.read" || is_done) return;
    is_done = true;
    what();
  });
}

JsonObject object(const std::string& text) {
  return JsonObject::parse("object", text);
}

Note note_of(const TestStore& store, const std::string& channel) {
  const auto note = store.space->find_note("heartbeat:" + channel);
  REQUIRE(note);
  return *note;
}

void set_properties(const TestStore& store, const std::string& channel, const std::string& text) {
  written(store.space->notes().update(note_of(store, channel).id,
                                      [&](Note& note) { note.properties = object(text); }));
}

std::vector<std::string> names(const Page<ChannelHealth>& page) {
  std::vector<std::string> found;
  for (const ChannelHealth& health : page.items) found.push_back(health.channel);
  return found;
}

}  // namespace

TEST_CASE("the first report makes the channel's note", "[heartbeat]") {
  TestStore store;
  const auto health = channels(store).report(
      {.channel = "mail", .interval = 1min, .details = object(R"({"box":"in"})")});
  CHECK(health.channel == "mail");
  CHECK(health.attempts == 1);
  CHECK(health.consecutive_failures == 0);
  CHECK(health.last_attempt_at == at_us(0));
  CHECK(health.last_success_at == at_us(0));
  CHECK_FALSE(health.last_failure_at);
  CHECK(health.is_stalled == false);
  const Note note = note_of(store, "mail");
  CHECK(note.kind == "heartbeat");
  CHECK(note.id == health.note);
  CHECK(to_json(channels(store).get("mail")) == to_json(health));
}

TEST_CASE("of two first reports at once both count, in one note", "[heartbeat]") {
  TestStore store;
  const auto other = store.open_another();
  once_after_read(
      store, [&] { Heartbeats(other->space("main", "other")).report(report_of("mail", "down")); });
  const auto health = channels(store).report(report_of("mail"));
  CHECK(health.attempts == 2);
  CHECK(health.last_failure_at == at_us(0));
  CHECK(health.last_success_at.has_value());
  CHECK(health.last_error == "down");
  CHECK(store.space->notes().list({}).items.size() == 1);
}

TEST_CASE("a report between another's read and write is not lost", "[heartbeat]") {
  TestStore store;
  channels(store).report(report_of("mail"));
  once_after_read(store, [&] {
    channels(store).report(
        {.channel = "mail", .interval = 2min, .error = "down", .details = object(R"({"a":1})")});
  });
  const auto health =
      channels(store).report({.channel = "mail", .error = "out", .details = object(R"({"b":2})")});
  CHECK(health.attempts == 3);
  CHECK(health.consecutive_failures == 2);
  CHECK(health.interval == 2min);
  CHECK(health.details.text() == R"({"a":1,"b":2})");
}

TEST_CASE("reports of many threads are all counted", "[heartbeat]") {
  TestStore store;
  const auto shared = open_in_real_time(store);
  constexpr int kThreads = 8;
  constexpr int kReports = 25;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const Heartbeats mine(shared->space("main", "other"));
      start.arrive_and_wait();
      for (int n = 0; n < kReports; ++n) mine.report(report_of("mail", "down"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto health = Heartbeats(shared->space("main", "other")).get("mail");
  CHECK(health.attempts == kThreads * kReports);
  CHECK(health.consecutive_failures == kThreads * kReports);
  CHECK(shared->space("main", "other").notes().list({}).items.size() == 1);
}

TEST_CASE("reports of one microsecond all count", "[heartbeat]") {
  TestStore store;
  for (std::uint64_t i = 1; i <= 5; ++i)
    CHECK(channels(store).report(report_of("a")).attempts == i);
  CHECK(channels(store).get("a").last_attempt_at == at_us(0));
}

TEST_CASE("a clock that is behind moves no time back", "[heartbeat]") {
  TestStore store;
  const Timestamp now = store.environment.clock.now();
  channels(store).report(report_of("mail"));
  channels(store).report(report_of("mail", "down"));
  store.environment.clock.set(now - 1h);
  channels(store).report(report_of("mail"));
  const auto health = channels(store).report(report_of("mail", "out"));
  CHECK(health.attempts == 4);
  CHECK(health.last_attempt_at == now);
  CHECK(health.last_success_at == now);
  CHECK(health.last_failure_at == now);
}

TEST_CASE("an error is kept after a success, and ends the count of failures", "[heartbeat]") {
  TestStore store;
  channels(store).report(report_of("mail", "down"));
  pass_time(store);
  CHECK(channels(store).report(report_of("mail", "out")).consecutive_failures == 2);
  pass_time(store);
  const auto health = channels(store).report(report_of("mail"));
  CHECK(health.consecutive_failures == 0);
  CHECK_FALSE(health.is_failing());
  CHECK(health.last_error == "out");
  CHECK(health.last_failure_at == at_us(1'000'000));
  CHECK(health.last_success_at == at_us(2'000'000));
}

TEST_CASE("credentials and bad bytes in an error are masked before it is stored", "[heartbeat]") {
  TestStore store;
  const auto health = channels(store).report(report_of("mail", "password=hunter2 \xFF"));
  CHECK(health.last_error == "password=[masked] ?");
  CHECK(note_of(store, "mail").properties.text().find("hunter2") == std::string::npos);
  CHECK(channels(store).report(report_of("mail", std::string(9'000, 'x'))).last_error.size() ==
        4096);
}

TEST_CASE("details are merged into what the channel said before", "[heartbeat]") {
  TestStore store;
  const auto said = [&](const std::string& details) {
    return channels(store).report({.channel = "a", .details = object(details)}).details.text();
  };
  CHECK(said(R"({"x":{"y":1},"z":1.50})") == R"({"x":{"y":1},"z":1.50})");
  CHECK(said(R"({})") == R"({"x":{"y":1},"z":1.50})");
  CHECK(said(R"({"x":{"w":2},"z":null})") == R"({"x":{"y":1,"w":2}})");
  CHECK(said(R"({"x":null})") == R"({})");
}

TEST_CASE("an interval stays until another is named", "[heartbeat]") {
  TestStore store;
  CHECK_FALSE(channels(store).report(report_of("a")).is_stalled.has_value());
  CHECK(channels(store).report({.channel = "a", .interval = 1min}).interval == 1min);
  CHECK(channels(store).report(report_of("a")).interval == 1min);
  CHECK(channels(store).report({.channel = "a", .interval = 2min}).interval == 2min);
}

TEST_CASE("a channel is stalled when more than three intervals have passed", "[heartbeat]") {
  TestStore store;
  channels(store).report({.channel = "a", .interval = 10s});
  store.environment.clock.advance(30s);
  CHECK(channels(store).get("a").is_stalled == false);
  CHECK(channels(store).troubled().items.empty());
  store.environment.clock.advance(1us);
  CHECK(channels(store).get("a").is_stalled == true);
  CHECK(names(channels(store).troubled()) == std::vector<std::string>{"a"});
  CHECK(channels(store).report(report_of("a")).is_stalled == false);
}

TEST_CASE("a failing channel is not called stalled while it is heard of", "[heartbeat]") {
  TestStore store;
  channels(store).report({.channel = "a", .interval = 10s, .error = "down"});
  store.environment.clock.advance(30s);
  const auto heard = channels(store).get("a");
  CHECK_FALSE(heard.is_stalled.has_value());
  CHECK(heard.is_troubled());
  store.environment.clock.advance(1us);
  CHECK(channels(store).get("a").is_stalled == true);
}

TEST_CASE("an interval is from 1 ms to 366 days", "[heartbeat]") {
  TestStore store;
  const auto refused = [&](std::chrono::microseconds interval) {
    return refusal_of([&] { channels(store).report({.channel = "a", .interval = interval}); });
  };
  const std::string rule = "interval: be 1 ms to 366 days, in microseconds";
  CHECK(refused(999us) == rule);
  CHECK(refused(-1s) == rule);
  CHECK(refused(366 * 24h + 1us) == rule);
  CHECK(store.space->notes().list({}).items.empty());
  CHECK(refused(1ms) == "not refused");
  CHECK(refused(366 * 24h) == "not refused");
}

TEST_CASE("a channel's name has 1 to 256 bytes", "[heartbeat]") {
  TestStore store;
  const auto refused = [&](const std::string& channel) {
    return refusal_of([&] { channels(store).report(report_of(channel)); });
  };
  CHECK(refused("").substr(0, 9) == "channel: ");
  CHECK(refused("a\xFF").substr(0, 9) == "channel: ");
  CHECK(refused(std::string(257, 'a')) == "channel: be up to 256 bytes");
  CHECK(refused(std::string(256, 'a')) == "not refused");
  CHECK_THROWS_AS(channels(store).get("unknown"), NotFound);
}

TEST_CASE("a note that cannot be read is an error that names the field, and shown as malformed",
          "[heartbeat]") {
  const std::map<std::string, std::string> damage = {
      {"interval", R"({"interval":"1m"})"},
      {"interval", R"({"interval":5})"},
      {"last_attempt_at", R"({"last_attempt_at":"soon"})"},
      {"last_success_at", R"({"last_success_at":-9223372036854775807})"},
      {"last_failure_at", R"({"last_failure_at":[]})"},
      {"last_error", R"({"last_error":5})"},
      {"attempts", R"({"attempts":-1})"},
      {"consecutive_failures", R"({"consecutive_failures":1.5})"},
      {"details", R"({"details":[1]})"}};
  for (const auto& [field, properties] : damage) {
    TestStore store;
    channels(store).report(report_of("mail"));
    channels(store).report(report_of("other"));
    set_properties(store, "mail", properties);
    const std::string before = picture(*store.store);
    CHECK(refusal_of([&] { channels(store).report(report_of("mail")); }).starts_with(field + ": "));
    CHECK(picture(*store.store) == before);
    const auto troubled = channels(store).troubled();
    REQUIRE(names(troubled) == std::vector<std::string>{"mail"});
    CHECK(troubled.items.front().malformed.starts_with(field + ": "));
    CHECK_FALSE(troubled.items.front().is_stalled.has_value());
    CHECK(channels(store).get("mail").malformed == troubled.items.front().malformed);
  }
}

TEST_CASE("a note of another kind under a channel's key is malformed", "[heartbeat]") {
  TestStore store;
  Note note;
  note.kind = "observation";
  note.key = "heartbeat:mail";
  written(store.space->notes().insert_if_absent(note));
  CHECK(refusal_of([&] { channels(store).report(report_of("mail")); }) ==
        "kind: be heartbeat in this note");
  CHECK(channels(store).list().items.front().malformed.starts_with("kind: "));
  CHECK(channels(store).list().items.front().channel == "mail");
}

TEST_CASE("members of the note that are not ours survive byte for byte", "[heartbeat]") {
  TestStore store;
  channels(store).report({.channel = "a", .details = object(R"({"n":1})")});
  set_properties(store, "a",
                 R"({"z":1.50,"attempts":4,"note":{"b":null,"a":[1,2.0,{}]},"e":"\u00e9"})");
  const auto health = channels(store).report(report_of("a"));
  CHECK(health.attempts == 5);
  const std::string text = note_of(store, "a").properties.text();
  for (const std::string part :
       {R"("z":1.50,)", R"("note":{"b":null,"a":[1,2.0,{}]})", R"("e":"\u00e9")"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("channels are listed by name, page by page", "[heartbeat]") {
  TestStore store;
  for (const auto* name : {"c", "a", "e", "b", "d"}) {
    channels(store).report(
        report_of(name, *name == 'd' ? std::optional<std::string>("x") : std::nullopt));
  }
  store.add_note("something else");
  const auto all = all_pages<ChannelHealth>(
      2, [&](const PageRequest& page) { return channels(store).list(page); });
  std::string listed;
  for (const auto& health : all) listed += health.channel;
  CHECK(listed == "abcde");
  const auto troubled = all_pages<ChannelHealth>(
      2, [&](const PageRequest& page) { return channels(store).troubled(page); });
  REQUIRE(troubled.size() == 1);
  CHECK(troubled.front().channel == "d");
}

TEST_CASE("a channel whose note was deleted or purged begins anew", "[heartbeat]") {
  TestStore store;
  const auto first = channels(store).report(report_of("a", "down"));
  written(store.space->notes().remove(first.note));
  CHECK_THROWS_AS(channels(store).get("a"), NotFound);
  const auto second = channels(store).report(report_of("a"));
  CHECK(second.attempts == 1);
  CHECK(second.last_error.empty());
  CHECK(second.note != first.note);
  written(store.space->notes().remove(second.note));
  REQUIRE(store.space->notes().purge(second.note).applied());
  CHECK(channels(store).report(report_of("a")).attempts == 1);
}

TEST_CASE("a note that is deleted between a report's read and write is made anew", "[heartbeat]") {
  TestStore store;
  const auto first = channels(store).report(report_of("a"));
  once_after_read(store, [&] { written(store.space->notes().remove(first.note)); });
  const auto second = channels(store).report(report_of("a"));
  CHECK(second.attempts == 1);
  CHECK(second.note != first.note);
}
