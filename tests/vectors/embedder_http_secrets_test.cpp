#include <holdfast/core/error.h>
#include <holdfast/vectors/embedder_spec.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <cstdlib>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kVariable = "HOLDFAST_TEST_EMBEDDING_KEY";
constexpr const char* kKey = "sk-very-secret-0123456789";

struct Fixture {
  explicit Fixture(const char* key = kKey) { ::setenv(kVariable, key, 1); }
  ~Fixture() { ::unsetenv(kVariable); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  std::shared_ptr<Embedder> embedder(const std::string& url) {
    const HttpEmbedderSpec spec{.url = url, .model = "m", .key_env = kVariable};
    return vectors::make_embedder(spec, 1, {}, here.environment);
  }

  /// What is said when the endpoint answers this, whatever kind of error that is.
  std::string failure(const ServedReply& reply) {
    EmbeddingServer server(reply);
    return thrown_by<std::runtime_error>([&] { embedder(server.url())->embed(texts); }).what();
  }

  EmbedderEnvironment here;
  std::vector<std::string> texts{"the patient's name is Ann"};
};

}  // namespace

TEST_CASE("the key is read from the environment at each call", "[vectors][http]") {
  Fixture f;
  EmbeddingServer server({.body = answer_with(item(0, "1"))});
  const auto embedder = f.embedder(server.url());
  embedder->embed(f.texts);
  ::setenv(kVariable, "another", 1);
  embedder->embed(f.texts);
  CHECK(server.requests().at(0).authorization == std::string("Bearer ") + kKey);
  CHECK(server.requests().at(1).authorization == "Bearer another");
}

TEST_CASE("a key that is not set is a wrong setting, and nothing is sent", "[vectors][http]") {
  Fixture f("");
  EmbeddingServer server(sizes_and_places);
  const auto error =
      thrown_by<Unavailable>([&] { f.embedder(server.url())->embed(f.texts); });
  CHECK_THAT(error.what(), ContainsSubstring(kVariable));
  CHECK(server.requests().empty());
}

TEST_CASE("a key that would break the request's headers is refused unseen", "[vectors][http]") {
  Fixture f("secret\r\nX-Header: 1");
  EmbeddingServer server(sizes_and_places);
  const auto error =
      thrown_by<Unavailable>([&] { f.embedder(server.url())->embed(f.texts); });
  CHECK_THAT(error.what(), ContainsSubstring(kVariable) && !ContainsSubstring("secret"));
  CHECK(server.requests().empty());
}

TEST_CASE("no message shows a key that the endpoint repeats", "[vectors][http]") {
  const int status = GENERATE(200, 400, 401, 404, 429, 500);
  const auto body = GENERATE(as<std::string>{}, R"({"error":{"message":"bad key KEY."}})",
                             R"({"error":"KEY"})", "Authorization: Bearer KEY",
                             R"({"detail":[{"msg":"KEY and KEY"}]})");
  std::string echo = body;
  for (std::size_t at = 0; (at = echo.find("KEY")) != std::string::npos;) {
    echo.replace(at, 3, kKey);
  }
  const std::string said = Fixture().failure({.status = status, .body = echo});
  CHECK_THAT(said, !ContainsSubstring("secret"));
}

TEST_CASE("a key at the place where a message is cut does not show", "[vectors][http]") {
  for (std::size_t before = 150; before < 210; ++before) {
    const std::string said =
        Fixture().failure({.status = 401, .body = std::string(before, 'x') + kKey});
    CHECK_THAT(said, !ContainsSubstring("sk-"));
  }
}

TEST_CASE("a redirect to another host does not take the key along", "[vectors][http]") {
  Fixture f;
  EmbeddingServer other({.body = answer_with(item(0, "1"))});
  const std::string said =
      f.failure({.status = 308, .headers = {{"Location", other.url() + "/?k=" + kKey}}});
  CHECK_THAT(said, ContainsSubstring("redirects") && !ContainsSubstring("secret"));
  CHECK(other.requests().empty());
}

TEST_CASE("no message shows a whole text that the endpoint repeats", "[vectors][http]") {
  Fixture f;
  f.texts = {"Ann's \"diagnosis\"\nis secret"};
  const auto body = GENERATE(
      as<std::string>{}, R"({"error":{"message":"bad: Ann's \"diagnosis\"\nis secret"}})",
      R"({"detail":[{"msg":"bad","input":"Ann's \"diagnosis\"\nis secret"}]})",
      R"(broken {"input":"Ann's \"diagnosis\"\nis secret"})",
      R"({"input":"Ann's \"diagnosis\"\nis secret"})");
  const std::string said = f.failure({.status = 400, .body = body});
  CHECK_THAT(said, ContainsSubstring("status 400") && !ContainsSubstring("diagnosis"));
}

TEST_CASE("what an endpoint says is shortened and made printable", "[vectors][http]") {
  const std::string said =
      Fixture().failure({.status = 500, .body = "a\nb\x1B[31m" + std::string(5000, 'x')});
  CHECK_THAT(said, ContainsSubstring("a?b?[31m") && Catch::Matchers::EndsWith("..."));
  CHECK(said.size() < 400);
}
