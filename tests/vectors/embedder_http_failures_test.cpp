#include <holdfast/core/error.h>
#include <holdfast/vectors/embedder_spec.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Fixture {
  /// What embedding two texts with two components each throws, when the endpoint answers this.
  template <class Thrown>
  Thrown failure(const ServedReply& reply) {
    EmbeddingServer server(reply);
    const auto embedder = http_embedder(server.url(), 2, here.environment);
    return thrown_by<Thrown>([&] { embedder->embed(texts); });
  }

  EmbedderEnvironment here;
  std::vector<std::string> texts{"first text", "second text"};
};

/// What is wrong with an answer, by its `data`.
std::string complaint(const std::string& items) {
  return Fixture().failure<EmbeddingUnavailable>({.body = answer_with(items)}).what();
}

}  // namespace

TEST_CASE("400, 413 and 422 refuse the texts", "[vectors][http]") {
  const int status = GENERATE(400, 413, 422);
  const auto error = Fixture().failure<EmbeddingRefused>(
      {.status = status, .body = R"({"error":{"message":"input too long","type":"x"}})"});
  CHECK_THAT(error.what(), ContainsSubstring("status " + std::to_string(status)));
  CHECK_THAT(error.what(), ContainsSubstring("input too long"));
}

TEST_CASE("a status that only another setting mends is Unavailable", "[vectors][http]") {
  const int status = GENERATE(401, 403, 404, 405);
  const auto error = Fixture().failure<Unavailable>(
      {.status = status, .body = R"({"error":"no such model"})"});
  CHECK_THAT(error.what(), ContainsSubstring("status " + std::to_string(status)));
  CHECK_THAT(error.what(), ContainsSubstring("no such model"));
}

TEST_CASE("a status that may pass is EmbeddingUnavailable", "[vectors][http]") {
  const int status = GENERATE(408, 425, 429, 500, 502, 503, 504, 529);
  const auto error = Fixture().failure<EmbeddingUnavailable>({.status = status, .body = "busy"});
  CHECK_THAT(error.what(), ContainsSubstring("status " + std::to_string(status) + ": busy"));
  CHECK(error.retry_after() == std::nullopt);
}

TEST_CASE("Retry-After is read as seconds and as a date", "[vectors][http]") {
  Fixture f;
  const auto [header, wait] = GENERATE(table<std::string, EmbeddingUnavailable::Wait>(
      {{"7", 7s}, {"0", 0s}, {"Thu, 01 Jan 2026 00:01:30 GMT", 90s},
       {"Wed, 31 Dec 2025 23:00:00 GMT", 0s}, {"soon", std::nullopt},
       {"99999999999999999999", std::nullopt}, {"-5", std::nullopt}}));
  CAPTURE(header);
  const auto error = f.failure<EmbeddingUnavailable>(
      {.status = GENERATE(429, 503), .headers = {{"Retry-After", header}}});
  CHECK(error.retry_after() == wait);
}

TEST_CASE("an endpoint that nobody serves may pass", "[vectors][http]") {
  Fixture f;
  std::string url;
  {
    EmbeddingServer server(sizes_and_places);
    url = server.url();
  }
  const auto embedder = http_embedder(url, 2, f.here.environment);
  CHECK_THROWS_AS(embedder->embed(f.texts), EmbeddingUnavailable);
}

TEST_CASE("an answer that does not come in time may pass", "[vectors][http]") {
  Fixture f;
  EmbeddingServer server({.never = true});
  const HttpEmbedderSpec spec{.url = server.url(), .model = "m", .timeout = 50ms};
  const auto embedder = vectors::make_embedder(spec, 2, {}, f.here.environment);
  CHECK_THROWS_AS(embedder->embed(f.texts), EmbeddingUnavailable);
}

TEST_CASE("an answer far beyond its vectors' size is not read to its end", "[vectors][http]") {
  const auto error = Fixture().failure<EmbeddingUnavailable>(
      {.body = answer_with(item(0, std::string(4U << 20, ' ') + "1,2") + "," + item(1, "1,2"))});
  CHECK_THAT(error.what(), ContainsSubstring("the answer has over 1048832 bytes"));
}

TEST_CASE("an answer that is no JSON object with data may pass", "[vectors][http]") {
  const auto [body, said] = GENERATE(table<std::string, std::string>(
      {{"", "not JSON"}, {R"({"data":[)", "not JSON"}, {"<html>", "not JSON"},
       {"[]", "no array `data`"}, {R"({"data":{}})", "no array `data`"},
       {R"({"error":"loading"})", "says: loading"}, {std::string(100'000, '['), "not JSON"}}));
  CHECK_THAT(Fixture().failure<EmbeddingUnavailable>({.body = body}).what(),
             ContainsSubstring(said));
}

TEST_CASE("an answer deeper than any with vectors is not taken apart", "[vectors][http]") {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK_THAT(complaint(deep + "," + item(1, "1,2")), ContainsSubstring("cannot be used"));
}

TEST_CASE("a failure's message is not looked for at any depth", "[vectors][http]") {
  const std::string deep = std::string(200'000, '[') + "\"deep\"" + std::string(200'000, ']');
  CHECK_THAT(Fixture().failure<EmbeddingUnavailable>({.status = 500, .body = deep}).what(),
             Catch::Matchers::EndsWith("status 500"));
}

TEST_CASE("an answer for another number of texts may pass", "[vectors][http]") {
  CHECK_THAT(complaint(item(0, "1,2")), ContainsSubstring("1 vector for 2 texts"));
  CHECK_THAT(complaint(""), ContainsSubstring("0 vectors for 2 texts"));
}

TEST_CASE("an index that is no text's, or two texts', may pass", "[vectors][http]") {
  CHECK_THAT(complaint(item(0, "1,2") + "," + item(2, "1,2")), ContainsSubstring("0 to 1"));
  CHECK_THAT(complaint(item(0, "1,2") + "," + item(-1, "1,2")), ContainsSubstring("0 to 1"));
  CHECK_THAT(complaint(item(1, "1,2") + "," + item(1, "1,2")), ContainsSubstring("one text"));
  CHECK_THAT(complaint(R"({"index":"0","embedding":[1,2]},)" + item(1, "1,2")),
             ContainsSubstring("`index`"));
}

TEST_CASE("a component that is no number of single precision may pass", "[vectors][http]") {
  const auto components = GENERATE(as<std::string>{}, "1,NaN", "1,Infinity", "1,1e999", "1,1e39",
                                   "1,-1e39", "1,\"2\"", "1,null", "1,[2]", "1,true");
  CAPTURE(components);
  CHECK_THAT(complaint(item(0, "1,2") + "," + item(1, components)),
             ContainsSubstring("the answer cannot be used"));
}

TEST_CASE("an element without a vector may pass", "[vectors][http]") {
  const auto element = GENERATE(as<std::string>{}, "{}", "1", "null", "[1,2]",
                                R"({"index":1,"embedding":"AACAPwAAAEA="})");
  CHECK_THAT(complaint(item(0, "1,2") + "," + element), ContainsSubstring("`embedding`"));
}

TEST_CASE("vectors of another dimension than the model's are a wrong setting",
          "[vectors][http]") {
  const auto error = Fixture().failure<Unavailable>(
      {.body = answer_with(item(0, "1,2,3") + "," + item(1, "1,2,3"))});
  CHECK_THAT(error.what(), ContainsSubstring("have 3 components") && ContainsSubstring("with 2"));
}

TEST_CASE("a redirect to another host or port is refused by name", "[vectors][http]") {
  Fixture f;
  EmbeddingServer other(sizes_and_places);
  const auto target = GENERATE_REF(as<std::string>{}, other.url() + "/v1/embeddings?a=b",
                                   "https://127.0.0.1/v1", "http://other.invalid/");
  const auto error = f.failure<Unavailable>({.status = 307, .headers = {{"Location", target}}});
  CHECK_THAT(error.what(), ContainsSubstring("redirects to http") &&
                               !ContainsSubstring("a=b"));
  CHECK(other.requests().empty());
}

TEST_CASE("a redirect that leads nowhere ends", "[vectors][http]") {
  Fixture f;
  EmbeddingServer server({.status = 307, .headers = {{"Location", "/again"}}});
  const auto embedder = http_embedder(server.url(), 2, f.here.environment);
  CHECK_THROWS_WITH(embedder->embed(f.texts), ContainsSubstring("again and again"));
  CHECK(server.requests().size() == 4);
  CHECK_THAT(Fixture().failure<Unavailable>({.status = 307}).what(),
             ContainsSubstring("status 307"));
}

TEST_CASE("a text that is not UTF-8 is refused before it is sent", "[vectors][http]") {
  Fixture f;
  f.texts = {"good", "bad \xFF"};
  EmbeddingServer server(sizes_and_places);
  const auto embedder = http_embedder(server.url(), 2, f.here.environment);
  CHECK_THROWS_AS(embedder->embed(f.texts), EmbeddingRefused);
  CHECK(server.requests().empty());
}
