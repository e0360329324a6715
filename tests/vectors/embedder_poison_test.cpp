#include <holdfast/core/error.h>
#include <holdfast/vectors/reliable_embedder.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using vectors::EmbeddingFailure;
using vectors::EmbeddingRun;
using vectors::ReliableEmbedder;

namespace {

using Texts = ScriptedEmbedder::Texts;

std::set<std::string> failed(const EmbeddingRun& run, const std::vector<std::string>& texts) {
  std::set<std::string> found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::holds_alternative<EmbeddingFailure>(run.outcomes[i])) found.insert(texts[i]);
  }
  return found;
}

std::size_t embedded(const EmbeddingRun& run) {
  std::size_t count = 0;
  for (const auto& outcome : run.outcomes) {
    count += std::holds_alternative<Embedding>(outcome) ? 1 : 0;
  }
  return count;
}

bool any_of(Texts texts, const std::set<std::string>& among) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return among.count(text) != 0; });
}

}  // namespace

TEST_CASE("a text that is refused is found in its batch and alone is reported", "[vectors]") {
  EmbedderEnvironment here;
  const auto texts = numbered_texts(64);
  const std::set<std::string> poison{texts[GENERATE(0, 31, 40, 63)]};
  ScriptedEmbedder embedder([&](Texts batch) {
    if (any_of(batch, poison)) throw EmbeddingRefused("too long");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  const EmbeddingRun run = reliable.embed(texts);
  CHECK(failed(run, texts) == poison);
  CHECK(embedded(run) == 63);
  CHECK(embedder.calls().size() == 14);  // 1 + two for each of six halvings + the probe
  CHECK(here.clock.elapsed() == 0us);    // a refusal is an answer
}

TEST_CASE("a text that always fails while others succeed is found and reported", "[vectors]") {
  EmbedderEnvironment here;
  const auto texts = numbered_texts(64);
  const std::set<std::string> poison{texts[7], texts[8], texts[50]};
  ScriptedEmbedder embedder([&](Texts batch) {
    if (any_of(batch, poison)) throw std::runtime_error("status 500");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  const EmbeddingRun run = reliable.embed(texts);
  CHECK(failed(run, texts) == poison);
  CHECK(embedded(run) == 61);
  CHECK_THAT(std::get<EmbeddingFailure>(run.outcomes[50]).reason,
             ContainsSubstring("fails while others succeed: status 500"));
}

TEST_CASE("one text that always fails is told from an endpoint that is down", "[vectors]") {
  EmbedderEnvironment here;
  const std::vector<std::string> texts{"bad"};
  ScriptedEmbedder embedder([&](Texts batch) {
    if (any_of(batch, {"bad"})) throw EmbeddingUnavailable("status 500");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  CHECK(failed(reliable.embed(texts), texts) == std::set<std::string>{"bad"});
}

TEST_CASE("an endpoint that is up for one moment makes no text count as failed", "[vectors]") {
  EmbedderEnvironment here;
  const int up_at = GENERATE(range(2, 12));
  int calls = 0;
  ScriptedEmbedder embedder([&](Texts) {
    if (++calls != up_at) throw EmbeddingUnavailable("down");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  const std::vector<std::string> texts{"good"};
  const bool taken = up_at <= 5;  // the text itself, of five attempts; then a probe
  if (taken) {
    CHECK(embedded(reliable.embed(texts)) == 1);
  } else {
    CHECK_THROWS_AS(reliable.embed(texts), EmbeddingUnavailable);
  }
}

TEST_CASE("an endpoint that refuses everything fails the run, and no text", "[vectors]") {
  EmbedderEnvironment here;
  ScriptedEmbedder embedder([](Texts) { throw EmbeddingRefused("unknown model"); });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  const auto error = thrown_by<Unavailable>([&] { (void)reliable.embed(numbered_texts(64)); });
  CHECK_THAT(error.what(), ContainsSubstring("takes no text") &&
                               ContainsSubstring("unknown model"));
}

TEST_CASE("an endpoint that begins to refuse everything fails no text", "[vectors]") {
  EmbedderEnvironment here;
  int calls = 0;
  ScriptedEmbedder embedder([&](Texts) {
    if (++calls > 2) throw EmbeddingRefused("model not loaded");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment, {.batch_texts = 10});
  const auto texts = numbered_texts(50);
  const EmbeddingRun run = reliable.embed(texts);
  CHECK(failed(run, texts).empty());
  CHECK(embedded(run) == 20);
  CHECK(run.interrupted != nullptr);
}

TEST_CASE("a vector of another dimension fails its text alone", "[vectors]") {
  EmbedderEnvironment here;
  const auto texts = numbered_texts(10);
  ScriptedEmbedder embedder({}, [](Texts, std::vector<Embedding>& out) { out[3] = {1, 2, 3}; });
  const EmbeddingRun run = ReliableEmbedder(embedder, 2, here.environment).embed(texts);
  CHECK(failed(run, texts) == std::set<std::string>{texts[3]});
  CHECK_THAT(std::get<EmbeddingFailure>(run.outcomes[3]).reason,
             ContainsSubstring("3 components") && ContainsSubstring("has 2"));
}

TEST_CASE("a vector that is not finite fails its text alone", "[vectors]") {
  EmbedderEnvironment here;
  const auto texts = numbered_texts(10);
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity());
  ScriptedEmbedder embedder({}, [&](Texts, std::vector<Embedding>& out) { out[9][1] = bad; });
  const EmbeddingRun run = ReliableEmbedder(embedder, 2, here.environment).embed(texts);
  CHECK(failed(run, texts) == std::set<std::string>{texts[9]});
  CHECK_THAT(std::get<EmbeddingFailure>(run.outcomes[9]).reason, ContainsSubstring("component 1"));
}

TEST_CASE("another number of vectors than of texts is the embedder's bug", "[vectors]") {
  EmbedderEnvironment here;
  const bool more = GENERATE(true, false);
  ScriptedEmbedder embedder({}, [more](Texts, std::vector<Embedding>& out) {
    out.resize(more ? out.size() + 1 : out.size() - 1);
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  CHECK_THROWS_WITH(reliable.embed(numbered_texts(4)), ContainsSubstring("4 texts with"));
}

TEST_CASE("a reason is short and printable", "[vectors]") {
  EmbedderEnvironment here;
  const std::vector<std::string> texts{"bad"};
  ScriptedEmbedder embedder([&](Texts batch) {
    if (any_of(batch, {"bad"})) throw EmbeddingRefused("a\nb" + std::string(5000, 'x'));
  });
  const EmbeddingRun run = ReliableEmbedder(embedder, 2, here.environment).embed(texts);
  const std::string& reason = std::get<EmbeddingFailure>(run.outcomes[0]).reason;
  CHECK_THAT(reason, Catch::Matchers::StartsWith("a?bxx"));
  CHECK(reason.size() <= 300);
}

// An endpoint that goes down and comes back at random times, with texts that it never takes.
TEST_CASE("no outage makes a text count as failed", "[vectors]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 101)));
  EmbedderEnvironment here(seed);
  core::Random chance(seed + 1000);
  const auto texts = numbered_texts(300);
  const std::set<std::string> poison{texts[chance.below(300)], texts[chance.below(300)]};
  bool down = false;
  auto changes = here.clock.elapsed();
  ScriptedEmbedder embedder([&](Texts batch) {
    here.clock.advance(50ms);
    while (here.clock.elapsed() >= changes) {
      down = !down;
      changes += std::chrono::milliseconds(1000 + chance.below(down ? 40'000 : 4000));
    }
    if (down) throw EmbeddingUnavailable("down");
    if (!any_of(batch, poison)) return;
    if (chance.below(2) == 0) throw EmbeddingRefused("too long");
    throw std::runtime_error("status 500");
  });
  ReliableEmbedder reliable(embedder, 2, here.environment);
  std::vector<std::string> left = texts;
  for (int round = 0; round < 200 && !left.empty(); ++round) {
    EmbeddingRun run;
    run.outcomes.resize(left.size());
    try {
      run = reliable.embed(left);
    } catch (const EmbeddingUnavailable&) {
    }
    std::vector<std::string> undecided;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (run.outcomes[i].index() == 0) undecided.push_back(left[i]);
    }
    for (const std::string& text : failed(run, left)) CHECK(poison.count(text) == 1);
    left = undecided;
  }
  CHECK(left.empty());
}

TEST_CASE("a vector whose squares sum to more than indexes take fails its text alone",
          "[vectors]") {
  EmbedderEnvironment here;
  const auto texts = numbered_texts(10);
  ScriptedEmbedder embedder({}, [](Texts, std::vector<Embedding>& out) { out[3] = {1e19F, 0}; });
  const EmbeddingRun run = ReliableEmbedder(embedder, 2, here.environment).embed(texts);
  CHECK(failed(run, texts) == std::set<std::string>{texts[3]});
  CHECK_THAT(std::get<EmbeddingFailure>(run.outcomes[3]).reason, ContainsSubstring("1e37"));
}
