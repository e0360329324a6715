#include <signal.h>

#include <atomic>

#include "../vectors/embedding_server.h"
#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;
using Json = nlohmann::json;

constexpr const char* kSecret = "sk-this-must-never-be-seen";

/// A model of two dimensions whose endpoint answers with {size of the text, its place}.
struct Remote : ReadyCli {
  explicit Remote(EmbeddingServer::Handler handler) : server(std::move(handler)) {
    variables["EMBED_KEY"] = kSecret;
    const Run made = run({"model", "create", "remote", "--dim", "2", "--metric", "l2", "--url",
                          server.url() + "/v1", "--embed-model", "m", "--key-env", "EMBED_KEY"});
    INFO(made.err);
    REQUIRE(made.exit_code == 0);
  }
  EmbeddingServer server;
};

struct Lexical : ReadyCli {
  Lexical() { REQUIRE(run({"model", "create", "words", "--dim", "32"}).exit_code == 0); }
};

/// Texts with "poison" in them are refused as often as they come.
ServedReply picky(const ServedRequest& request) {
  if (request.body.find("poison") == std::string::npos) return sizes_and_places(request);
  return {.status = 400, .body = R"({"error":{"message":"not that"}})"};
}

}  // namespace

TEST_CASE("embed makes what waits and says what became of it", "[cli]") {
  const Lexical cli;
  const std::string ann = cli.entity("Ann");
  cli.entity("Bob");
  const auto embedded = cli.json({"embed"});
  REQUIRE(embedded.exit_code == 0);
  CHECK(embedded.json() == Json::parse(R"({"model": "words", "events": 2,
    "outcomes": {"applied": 2}, "problems": [], "was_stopped": false,
    "was_taken_over": false,
    "sources": {"current": 2, "stale": 0, "missing": 0, "failed": 0, "pending": 0,
                "behind": 0}})"));
  cli.run({"entity", "update", ann, "--tag", "new"});
  CHECK(cli.json({"embed", "words"}).json()["outcomes"] == Json({{"restamped", 1}}));
  const auto text = cli.run({"embed", "words"}).out;
  CHECK(text.find("embedded by model words") == 0);
  CHECK(text.find("nothing") != std::string::npos);
  CHECK(cli.json({"embed", "nobody"}).exit_code == 3);
  CHECK(ReadyCli().json({"embed"}).error()["kind"] == "model");
}

TEST_CASE("a watcher embeds what comes until it is interrupted", "[cli]") {
  const Lexical cli;
  Run watched;
  {
    const Words watch = {"embed", "--watch"};
    cli.entity("Ann");
    watched = cli.interrupt(watch, "applied 1", SIGINT);
  }
  CHECK(watched.exit_code == 130);
  CHECK(watched.err.find("Ctrl-C ends that") != std::string::npos);
  CHECK(watched.out.find("stopped after") != std::string::npos);
  const auto status = cli.json({"index", "status", "words"}).json();
  CHECK(status["serving"]["current"] == 1);
  CHECK(status["embed"].is_null());
  CHECK(cli.interrupt({"embed", "--watch"}, "following the journal", SIGTERM).exit_code == 143);
}

TEST_CASE("a watcher prints one document for each batch with --json", "[cli]") {
  const Lexical cli;
  cli.entity("Ann");
  const auto watched = cli.interrupt({"--json", "embed", "--watch"}, "applied", SIGINT);
  CHECK(watched.exit_code == 130);
  CHECK(watched.err.empty());
  CHECK(watched.json() == Json::parse(R"({"model": "words", "events": 1,
    "outcomes": {"applied": 1}, "problems": [], "was_stopped": false,
    "was_taken_over": false})"));
}

TEST_CASE("a watcher that waits for another process says for whom with --json", "[cli]") {
  const Remote* waits = nullptr;
  Run watched;
  const Remote cli([&](const ServedRequest& request) {
    if (const auto* const other = std::exchange(waits, nullptr)) {
      watched = other->interrupt({"--json", "embed", "--watch"}, "waits_for", SIGINT);
    }
    return sizes_and_places(request);
  });
  cli.entity("Ann");
  waits = &cli;
  CHECK(cli.json({"embed"}).exit_code == 0);
  CHECK(watched.exit_code == 130);
  CHECK(watched.err.empty());
  CHECK(watched.json()["waits_for"]["owner"].is_string());
}

TEST_CASE("an embed that another process took over says so", "[cli]") {
  const bool is_text = GENERATE(false, true);
  const Remote* taken_from = nullptr;
  Run other;
  const Remote cli([&](const ServedRequest& request) {
    if (const auto* const from = std::exchange(taken_from, nullptr)) {
      // Until the lease of the one that waits for this answer has run out.
      do {
        other = from->json({"embed"});
      } while (other.exit_code == 6);
    }
    return sizes_and_places(request);
  });
  cli.entity("Ann");
  taken_from = &cli;
  const Words words = {"embed", "--lease", "0.001"};
  const Run late = is_text ? cli.run(words) : cli.json(words);
  CHECK(other.json()["was_taken_over"] == false);
  CHECK(other.json()["outcomes"] == Json({{"applied", 1}}));
  CHECK(late.exit_code == 0);
  if (is_text) {
    CHECK(late.out.find("taken over: ") != std::string::npos);
  } else {
    CHECK(late.json()["was_taken_over"] == true);
  }
}

TEST_CASE("what cannot be embedded is listed, and tried again on request", "[cli]") {
  std::atomic<bool> is_picky = true;
  const Remote cli([&](const ServedRequest& request) {
    return is_picky ? picky(request) : sizes_and_places(request);
  });
  cli.entity("fine");
  const std::string bad = cli.entity("poison");
  const auto embedded = cli.json({"embed"});
  REQUIRE(embedded.exit_code == 0);
  CHECK(embedded.json()["outcomes"] == Json({{"applied", 1}, {"failed", 1}}));
  CHECK(embedded.json()["problems"][0]["id"] == bad);
  CHECK(embedded.json()["sources"]["failed"] == 1);
  const auto listed = cli.json({"index", "failures"}).json();
  REQUIRE(listed["items"].size() == 1);
  CHECK(listed["items"][0]["kind"] == "entity");
  CHECK(listed["items"][0]["id"] == bad);
  CHECK(listed["items"][0]["attempts"] == 1);
  CHECK(cli.run({"index", "failures", "remote"}).out.find("1 failure\n") != std::string::npos);
  const auto again = cli.json({"embed", "--retry-failed", "--id", bad});
  CHECK(again.json()["outcomes"] == Json({{"failed", 1}}));
  CHECK(cli.json({"index", "failures"}).json()["items"][0]["attempts"] == 2);
  is_picky = false;
  CHECK(cli.json({"embed", "--retry-failed"}).json()["outcomes"] == Json({{"applied", 1}}));
  CHECK(cli.json({"index", "failures"}).json()["items"].empty());
}

TEST_CASE("the endpoint's key is sent, and shown by no command", "[cli]") {
  const Remote cli(&sizes_and_places);
  const std::string ann = cli.entity("Ann");
  std::string seen;
  const auto look = [&](const Words& words) {
    for (const Run& run : {cli.run(words), cli.json(words)}) seen += run.out + run.err;
  };
  look({"embed"});
  look({"index", "status"});
  look({"model", "list"});
  look({"model", "show", "remote"});
  look({"similar", "--id", ann});
  look({"projection", "status"});
  look({"doctor"});
  look({"export", "-"});
  // A key in the place of a variable's name, or in an address.
  look({"model", "create", "x", "--dim", "2", "--url", "http://h", "--embed-model", "m",
        "--key-env", kSecret});
  look({"model", "create", "x", "--dim", "2", "--embed-model", "m", "--url",
        std::string("http://u:") + kSecret + "@h"});
  CHECK(seen.find("EMBED_KEY") != std::string::npos);
  CHECK(seen.find(kSecret) == std::string::npos);
  REQUIRE_FALSE(cli.server.requests().empty());
  CHECK(cli.server.requests()[0].authorization == std::string("Bearer ") + kSecret);
}

TEST_CASE("an endpoint that is down ends embed with what is unavailable", "[cli]") {
  const Remote cli([](const ServedRequest&) {
    return ServedReply{.status = 503, .body = "down", .headers = {{"Retry-After", "0"}}};
  });
  cli.entity("Ann");
  const auto down = cli.json({"embed", "--attempts", "1"});
  CHECK(down.exit_code == 6);
  CHECK(down.error()["code"] == "unavailable");
  CHECK(cli.json({"index", "status", "remote"}).json()["serving"]["missing"] == 1);
  for (const char* attempts : {"0", "101", "x", "-1"}) {
    CHECK(cli.json({"embed", "--attempts", attempts}).error()["field"] == "attempts");
  }
  CHECK(cli.json({"embed", "--requests-per-minute", "-1"}).error()["field"] ==
        "requests_per_minute");
  CHECK(cli.json({"embed", "--batch", "0"}).error()["field"] == "batch");
  CHECK(cli.json({"embed", "--id", "x"}).exit_code == 2);
}

}  // namespace holdfast::test
