#include <holdfast/core/clock.h>
#include <holdfast/core/error.h>
#include <holdfast/core/id.h>

#include "support/catch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

using namespace holdfast;
using namespace std::chrono_literals;

namespace {

const std::string kDns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";  // RFC 9562's namespace
constexpr std::int64_t kStartUs = 0x018f'4d3c'6a70 * std::int64_t{1000};

struct Fixture {
  core::ManualClock clock{from_us(kStartUs)};
  std::unique_ptr<core::IdSource> source = core::make_uuid_v7_source(clock);

  /// True when `count` fresh ids each exceed the one before, the first exceeding `last`.
  bool increases(Uuid& last, int count) {
    for (int i = 0; i < count; ++i) {
      const Uuid next = source->next();
      if (next <= last) return false;
      last = next;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("an id reads back from its text, in either case", "[core]") {
  const Uuid id = parse_uuid("id", "018F4D3C-6A70-7c3e-9b1a-0242ac12000F");
  CHECK(to_string(id) == "018f4d3c-6a70-7c3e-9b1a-0242ac12000f");
  CHECK(id.bytes[0] == 0x01);
  CHECK(id.bytes[15] == 0x0f);
}

TEST_CASE("only the form 8-4-4-4-12 is an id", "[core]") {
  const auto text = GENERATE(
      as<std::string>{}, "", "018f4d3c6a707c3e9b1a0242ac120002",
      "{018f4d3c-6a70-7c3e-9b1a-0242ac120002}", "018f4d3c-6a70-7c3e-9b1a-0242ac12000",
      "018f4d3c-6a70-7c3e-9b1a-0242ac1200020", "018f4d3c-6a70-7c3e-9b1a-0242ac12000g",
      "018f4d3-c6a70-7c3e-9b1a-0242ac120002", "018f4d3c-6a70-7c3e-9b1a0-242ac120002",
      "018f4d3c_6a70_7c3e_9b1a_0242ac120002", "018f4d3c-6a70-7c3e-9b1a-0242ac12-002",
      "urn:uuid:018f4d3c-6a70-7c3e-9b1a-0242ac120002");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_uuid("id", text), InvalidArgument);
}

TEST_CASE("ids of a kind read and write like the id they hold", "[core]") {
  const auto id = EntityId::parse("id", kDns);
  CHECK(to_string(id) == kDns);
  CHECK(std::hash<EntityId>{}(id) == std::hash<Uuid>{}(id.uuid));
}

TEST_CASE("the nil id is all zeroes", "[core]") {
  CHECK(Uuid{}.is_nil());
  CHECK_FALSE(parse_uuid("id", kDns).is_nil());
}

TEST_CASE("a name in a namespace gives the published version 5 ids", "[core]") {
  const Uuid dns = parse_uuid("id", kDns);
  CHECK(to_string(uuid_v5(dns, "www.example.com")) == "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  CHECK(to_string(uuid_v5(dns, "python.org")) == "886313e1-3b8a-5372-9b90-0c9aee199e5d");
}

TEST_CASE("a fresh id carries the clock's millisecond, version 7 and the variant", "[core]") {
  Fixture f;
  const std::string text = to_string(f.source->next());
  CHECK(text.substr(0, 13) == "018f4d3c-6a70");
  CHECK(text[14] == '7');
  CHECK(std::string("89ab").find(text[19]) != std::string::npos);
}

TEST_CASE("fresh ids increase within one millisecond, however many are taken", "[core]") {
  Fixture f;
  Uuid last;
  CHECK(f.increases(last, 20'000));
}

TEST_CASE("fresh ids increase when the clock steps back", "[core]") {
  Fixture f;
  Uuid last;
  REQUIRE(f.increases(last, 10));
  f.clock.set(from_us(kStartUs - 3'600'000'000));
  REQUIRE(f.increases(last, 10'000));
  f.clock.set(from_us(kStartUs));
  CHECK(f.increases(last, 10'000));
}

TEST_CASE("fresh ids increase as the clock advances", "[core]") {
  Fixture f;
  Uuid last;
  for (int i = 0; i < 1000; ++i) {
    f.clock.advance(700us);
    REQUIRE(f.increases(last, 3));
  }
}

TEST_CASE("a clock outside what an id can hold does not stop the ids", "[core]") {
  Fixture f;
  f.clock.set(from_us(GENERATE(std::int64_t{-5'000}, std::numeric_limits<std::int64_t>::max())));
  Uuid last;
  CHECK(f.increases(last, 10'000));
}

TEST_CASE("threads that share a source get distinct ids", "[core]") {
  Fixture f;
  std::vector<std::vector<Uuid>> taken(4);
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5'000; ++i) mine.push_back(f.source->next());
    });
  }
  for (auto& thread : threads) thread.join();
  std::unordered_set<Uuid> distinct;
  for (const auto& mine : taken) distinct.insert(mine.begin(), mine.end());
  CHECK(distinct.size() == 20'000);
}

TEST_CASE("a forked child does not repeat its parent's ids", "[core]") {
  Fixture f;
  (void)f.source->next();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Uuid id = f.source->next();
    const bool sent = ::write(ends[1], id.bytes.data(), id.bytes.size()) == 16;
    ::_exit(sent ? 0 : 1);
  }
  REQUIRE(child > 0);
  const Uuid own = f.source->next();
  Uuid theirs;
  CHECK(::read(ends[0], theirs.bytes.data(), theirs.bytes.size()) == 16);
  CHECK(own != theirs);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a seed gives the same ids again, in the same shape", "[core]") {
  core::ManualClock clock(from_us(kStartUs));
  const auto one = core::make_seeded_id_source(clock, 1);
  const auto again = core::make_seeded_id_source(clock, 1);
  const auto other = core::make_seeded_id_source(clock, 2);
  const Uuid first = one->next();
  CHECK(first == again->next());
  CHECK(first != other->next());
  CHECK(one->next() > first);
  CHECK(to_string(first).substr(0, 15) == "018f4d3c-6a70-7");
}

TEST_CASE("sources from the operating system's generator differ", "[core]") {
  Fixture one;
  Fixture two;
  CHECK(one.source->next() != two.source->next());
}
