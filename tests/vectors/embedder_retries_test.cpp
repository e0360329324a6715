#include <holdfast/core/error.h>
#include <holdfast/vectors/reliable_embedder.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <string>
#include <thread>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using vectors::EmbeddingOptions;
using vectors::EmbeddingRun;
using vectors::NotEmbedded;
using vectors::ReliableEmbedder;

namespace {

bool all_embedded(const EmbeddingRun& run, const std::vector<std::string>& texts) {
  if (run.outcomes.size() != texts.size()) return false;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto* vector = std::get_if<Embedding>(&run.outcomes[i]);
    if (vector == nullptr || *vector != ScriptedEmbedder::vector_of(texts[i])) return false;
  }
  return true;
}

std::size_t undecided(const EmbeddingRun& run) {
  std::size_t count = 0;
  for (const auto& outcome : run.outcomes) count += outcome.index() == 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("texts are embedded in batches of a number and of bytes", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder;
  ReliableEmbedder reliable(embedder, 2, here.environment,
                            {.batch_texts = 3, .batch_bytes = 10});
  const std::vector<std::string> texts{"1", "2", "3", "4", "123456789", "1", "01234567890123", ""};
  CHECK(all_embedded(reliable.embed(texts), texts));
  const std::vector<std::vector<std::string>> batches{
      {"1", "2", "3"}, {"4", "123456789"}, {"1"}, {"01234567890123"}, {""}};
  CHECK(embedder.calls() == batches);
  CHECK(here.clock.elapsed() == 0us);
}

TEST_CASE("what passes is tried again after pauses that grow", "[vectors]") {
  EmbedderEnvironment here;
  std::vector<std::chrono::microseconds> times;
  ScriptedEmbedder embedder([&](auto) {
    times.push_back(here.clock.elapsed());
    if (times.size() < 5) throw std::runtime_error("it rains");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment,
                            {.backoff_min = 100ms, .backoff_max = 300ms});
  CHECK(all_embedded(reliable.embed(numbered_texts(3)), numbered_texts(3)));
  REQUIRE(times.size() == 5);
  const std::chrono::microseconds most[] = {100ms, 200ms, 300ms, 300ms};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(times[i + 1] - times[i] <= most[i]);
    CHECK(times[i + 1] - times[i] >= most[i] / 2);
  }
}

TEST_CASE("pauses differ by chance", "[vectors]") {
  const auto waited = [](std::uint64_t seed) {
    EmbedderEnvironment here(seed);
    ScriptedEmbedder embedder([](auto) { throw EmbeddingUnavailable("down"); });
    ReliableEmbedder reliable(embedder, 2, here.environment);
    CHECK_THROWS(reliable.embed(numbered_texts(1)));
    return here.clock.elapsed();
  };
  CHECK(waited(1) == waited(1));
  CHECK(waited(1) != waited(2));
}

TEST_CASE("an endpoint that asks for a pause gets it", "[vectors]") {
  EmbedderEnvironment here;
  int calls = 0;
  ScriptedEmbedder embedder([&](auto) {
    if (++calls == 1) throw EmbeddingUnavailable("too many requests", 20s);
    CHECK(here.clock.elapsed() >= 20s);
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  CHECK(all_embedded(reliable.embed(numbered_texts(2)), numbered_texts(2)));
  CHECK(here.clock.elapsed() < 21s);
}

TEST_CASE("an endpoint that asks for too long a pause counts as down", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder([](auto) { throw EmbeddingUnavailable("quota", 3600s); });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  const auto error =
      thrown_by<EmbeddingUnavailable>([&] { (void)reliable.embed(numbered_texts(2)); });
  CHECK(error.retry_after() == EmbeddingUnavailable::Wait(3600s));
  CHECK(embedder.calls().size() == 1);
}

TEST_CASE("requests keep their rate, over calls", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder;
  ReliableEmbedder reliable(embedder, 2, here.environment,
                            {.batch_texts = 1, .requests_per_minute = 120});
  (void)reliable.embed(numbered_texts(3));
  CHECK(here.clock.elapsed() == 1s);
  (void)reliable.embed(numbered_texts(2));
  CHECK(here.clock.elapsed() == 2s);
  here.clock.advance(10s);
  (void)reliable.embed(numbered_texts(1));
  CHECK(here.clock.elapsed() == 12s);
}

TEST_CASE("an endpoint that is down fails the run, and no text", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder([](auto) { throw EmbeddingUnavailable("no route to host"); });
  ReliableEmbedder reliable(embedder, 2, here.environment, {.attempts = 4});
  CHECK_THROWS_WITH(reliable.embed(numbered_texts(200)), "no route to host");
  CHECK(embedder.calls().size() == 8);  // four times the batch, four times the probe
}

TEST_CASE("an endpoint that goes down leaves the rest undecided", "[vectors]") {
  EmbedderEnvironment here;
  int calls = 0;
  ScriptedEmbedder embedder([&](auto) {
    if (++calls > 2) throw EmbeddingUnavailable("gone");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment, {.batch_texts = 10});
  const EmbeddingRun run = reliable.embed(numbered_texts(50));
  CHECK(undecided(run) == 30);
  CHECK(std::holds_alternative<Embedding>(run.outcomes[19]));
  REQUIRE(run.interrupted != nullptr);
  CHECK_THROWS_AS(std::rethrow_exception(run.interrupted), EmbeddingUnavailable);
}

TEST_CASE("a wrong setting ends the run at once", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder([](auto) { throw Unavailable("no key"); });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  CHECK_THROWS_AS(reliable.embed(numbered_texts(5)), Unavailable);
  CHECK(embedder.calls().size() == 1);
}

TEST_CASE("a stop ends a run within its pause", "[vectors]") {
  EmbedderEnvironment here;
  std::stop_source stop;
  int calls = 0;
  ScriptedEmbedder embedder([&](auto) {
    if (++calls == 1) return;
    stop.request_stop();
    throw EmbeddingUnavailable("down");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment, {.batch_texts = 1});
  const EmbeddingRun run = reliable.embed(numbered_texts(3), stop.get_token());
  CHECK(undecided(run) == 2);
  CHECK(run.interrupted == nullptr);
  CHECK(calls == 2);
  CHECK(here.clock.elapsed() == 0us);
}

TEST_CASE("options out of bounds are refused by name", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder;
  const auto refused = [&](const EmbeddingOptions& options) {
    return thrown_by<InvalidArgument>([&] {
             ReliableEmbedder(embedder, 2, here.environment, options);
           })
        .field();
  };
  CHECK(refused({.batch_texts = 0}) == "batch_texts");
  CHECK(refused({.attempts = 0}) == "attempts");
  CHECK(refused({.backoff_min = -1ms}) == "backoff_min");
  CHECK(refused({.backoff_min = 2ms, .backoff_max = 1ms}) == "backoff_max");
  CHECK(refused({.requests_per_minute = -1}) == "requests_per_minute");
}

TEST_CASE("threads share one embedder and its rate", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder;
  ReliableEmbedder reliable(embedder, 2, here.environment,
                            {.batch_texts = 1, .requests_per_minute = 60});
  const auto texts = numbered_texts(5);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { (void)reliable.embed(texts); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(embedder.calls().size() == 20);
  CHECK(here.clock.elapsed() >= 19s);
}

TEST_CASE("a stop during the last attempt is a stop, and no endpoint that is down", "[vectors]") {
  EmbedderEnvironment here;
  std::stop_source stop;
  ScriptedEmbedder embedder([&](auto texts) {
    if (texts.front() == "probe") stop.request_stop();
    throw EmbeddingUnavailable("down");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment, {.attempts = 1});
  CHECK(undecided(reliable.embed(numbered_texts(3), stop.get_token())) == 3);
}

TEST_CASE("a stop gives up a request that nobody answers", "[vectors][http]") {
  EmbedderEnvironment here;
  std::stop_source stop;
  const EmbeddingServer server([&](const ServedRequest&) {
    stop.request_stop();
    return ServedReply{.never = true};
  });
  const auto embedder = http_embedder(server.url(), 2, here.environment);
  ReliableEmbedder reliable(*embedder, 2, here.environment);
  const auto started = std::chrono::steady_clock::now();
  CHECK(undecided(reliable.embed(numbered_texts(3), stop.get_token())) == 3);
  CHECK(std::chrono::steady_clock::now() - started < 10s);  // of the twenty that it may take
}
