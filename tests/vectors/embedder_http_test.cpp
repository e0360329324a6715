#include <holdfast/core/error.h>
#include <holdfast/vectors/embedder_spec.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;

namespace {

std::vector<Embedding> embed(Embedder& embedder, std::vector<std::string> texts) {
  return embedder.embed(texts);
}

}  // namespace

TEST_CASE("an endpoint's vectors come in the order of the texts", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server(sizes_and_places);
  const auto embedder = http_embedder(server.url(), 2, here.environment);
  CHECK(embed(*embedder, {"a", "bcd", ""}) == std::vector<Embedding>{{1, 0}, {3, 1}, {0, 2}});
}

TEST_CASE("the index of a vector says whose it is, not its place", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server({.body = answer_with(item(2, "3") + "," + item(0, "1") + "," +
                                              item(1, "2"))});
  const auto embedder = http_embedder(server.url(), 1, here.environment);
  CHECK(embed(*embedder, {"a", "b", "c"}) == std::vector<Embedding>{{1}, {2}, {3}});
}

TEST_CASE("an endpoint that sends no index is taken at its order", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server({.body = R"({"data":[{"embedding":[1]},{"embedding":[2.5e-1]}]})"});
  const auto embedder = http_embedder(server.url(), 1, here.environment);
  CHECK(embed(*embedder, {"a", "b"}) == std::vector<Embedding>{{1}, {0.25}});
}

TEST_CASE("no request is made for no texts", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server(sizes_and_places);
  CHECK(http_embedder(server.url(), 2, here.environment)->embed({}).empty());
  CHECK(server.requests().empty());
}

TEST_CASE("an endpoint's URL may have the /v1 at its end or not", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server(sizes_and_places);
  const auto [base, path] = GENERATE(table<std::string, std::string>(
      {{"", "/v1/embeddings"}, {"/", "/v1/embeddings"}, {"/v1", "/v1/embeddings"},
       {"/v1/", "/v1/embeddings"}, {"/proxy/openai", "/proxy/openai/v1/embeddings"}}));
  const auto embedder = http_embedder(server.url() + base, 2, here.environment);
  embed(*embedder, {"a"});
  CHECK(server.requests().at(0).path == path);
}

TEST_CASE("a request has the model, the texts and, when declared, the dimension",
          "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server(sizes_and_places);
  HttpEmbedderSpec spec{.url = server.url(), .model = "small"};
  embed(*vectors::make_embedder(spec, 2, {}, here.environment), {"say \"hi\"\n"});
  spec.send_dimension = true;
  embed(*vectors::make_embedder(spec, 2, {}, here.environment), {"ü"});
  CHECK(server.requests().at(0).body == R"({"model":"small","input":["say \"hi\"\n"]})");
  CHECK(server.requests().at(1).body == R"({"model":"small","input":["ü"],"dimensions":2})");
  CHECK(server.requests().at(0).authorization.empty());
}

TEST_CASE("a redirect within the server is followed with the same request", "[vectors][http]") {
  EmbedderEnvironment here;
  const int status = GENERATE(301, 302, 307, 308);
  EmbeddingServer server([status](const ServedRequest& request) {
    if (request.path == "/moved") return sizes_and_places(request);
    return ServedReply{.status = status, .headers = {{"Location", "/moved"}}};
  });
  const auto embedder = http_embedder(server.url(), 2, here.environment);
  CHECK(embed(*embedder, {"abc"}) == std::vector<Embedding>{{3, 0}});
  CHECK(server.requests().at(0).body == server.requests().at(1).body);
}

TEST_CASE("one HTTP embedder serves many threads at once", "[vectors][http]") {
  EmbedderEnvironment here;
  EmbeddingServer server(sizes_and_places);
  const auto embedder = http_embedder(server.url(), 2, here.environment);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const std::string text(i + 1, 'x');
      for (int round = 0; round < 10; ++round) {
        const std::vector<Embedding> wanted{{static_cast<float>(i + 1), 0}};
        if (embed(*embedder, {text}) == wanted) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 60);
}
