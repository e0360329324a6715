#include <holdfast/core/error.h>
#include <holdfast/vectors/embedder_spec.h>

#include "embedder_support.h"
#include "embedding_server.h"
#include "support/catch.h"

#include <string>

using namespace holdfast;
using namespace holdfast::test;
using Catch::Matchers::ContainsSubstring;

namespace {

EmbedderSpec parsed(const std::string& text) {
  return parse_embedder_spec(JsonObject::parse("embedder", text));
}

InvalidArgument refusal(const std::string& text) {
  return thrown_by<InvalidArgument>([&] { parsed(text); });
}

}  // namespace

TEST_CASE("an embedder's declaration reads back as it was written", "[vectors]") {
  const auto text = GENERATE(
      as<std::string>{}, R"({"type":"hashing","gram_min":3,"gram_max":5})",
      R"({"type":"hashing","gram_min":0,"gram_max":0})",
      R"({"type":"http","url":"http://localhost:11434/v1","model":"m",)"
      R"("send_dimension":false,"timeout_ms":30000})",
      R"({"type":"http","url":"https://api.example.org","model":"m","key_env":"API_KEY",)"
      R"("send_dimension":true,"timeout_ms":1})",
      R"({"type":"caller"})", R"({"type":"caller","name":"mine"})");
  const EmbedderSpec spec = parsed(text);
  CHECK(to_json(spec).text() == text);
  CHECK(parsed(to_json(spec).text()) == spec);
}

TEST_CASE("fields that an embedder's declaration leaves out have their defaults", "[vectors]") {
  CHECK(parsed(R"({"type":"hashing"})") == EmbedderSpec(HashingEmbedderSpec{}));
  CHECK(parsed(R"({"model":"m","url":"http://h","type":"http"})") ==
        EmbedderSpec(HttpEmbedderSpec{.url = "http://h", .model = "m"}));
  CHECK(parsed(R"({"type":"caller","name":null})") == EmbedderSpec(CallerEmbedderSpec{}));
}

TEST_CASE("a declaration that breaks a rule names the field", "[vectors]") {
  const auto [text, field] = GENERATE(table<std::string, std::string>(
      {{R"({})", "type"},
       {R"({"type":"magic"})", "type"},
       {R"({"type":7})", "type"},
       {R"({"type":"hashing","grams":3})", "grams"},
       {R"({"type":"hashing","url":"http://h"})", "url"},
       {R"({"type":"hashing","gram_min":1})", "gram_min"},
       {R"({"type":"hashing","gram_min":0})", "gram_min"},
       {R"({"type":"hashing","gram_min":6})", "gram_max"},
       {R"({"type":"hashing","gram_max":9})", "gram_max"},
       {R"({"type":"hashing","gram_max":"5"})", "gram_max"},
       {R"({"type":"http","model":"m"})", "url"},
       {R"({"type":"http","url":"http://h"})", "model"},
       {R"({"type":"http","url":"http://h","model":"m","timeout_ms":0})", "timeout_ms"},
       {R"({"type":"http","url":"http://h","model":"m","timeout_ms":600001})", "timeout_ms"},
       {R"({"type":"http","url":"http://h","model":"m","key_env":""})", "key_env"},
       {R"({"type":"caller","name":""})", "name"},
       {R"({"type":"caller","name":3})", "name"}}));
  CAPTURE(text);
  CHECK(refusal(text).field() == field);
}

TEST_CASE("a URL that is no plain one of http or https is refused", "[vectors]") {
  const auto url =
      GENERATE(as<std::string>{}, "", "localhost", "ftp://h", "file:///etc/passwd", "http://",
               "http://h:99999", "http://h/a b", "http://h/?x=1", "http://h/#x",
               "http://user@h", "http://user:pw@h", "http://h/" + std::string(1100, 'a'));
  CAPTURE(url);
  CHECK(refusal(R"({"type":"http","model":"m","url":")" + url + "\"}").field() == "url");
}

TEST_CASE("an error about a declaration shows no secret that was put into it", "[vectors]") {
  const auto text = GENERATE(
      as<std::string>{}, R"({"type":"http","url":"http://h","model":"m","key_env":"sk-hunter2"})",
      R"({"type":"http","url":"http://h","model":"m","api_key":"hunter2"})",
      R"({"type":"http","url":"http://h","model":"m","authorization":"Bearer hunter2"})",
      R"({"type":"http","url":"http://me:hunter2@h","model":"m"})",
      R"({"type":"http","url":"ftp://me:hunter2@h","model":"m"})",
      R"({"type":"http","url":"http://h/v1?api=hunter2","model":"m"})",
      R"({"type":"http","url":"ftp://h/v1?api=hunter2","model":"m"})");
  CAPTURE(text);
  CHECK_THAT(refusal(text).what(), !ContainsSubstring("hunter2"));
}

TEST_CASE("a host's own embedder is found by its name", "[vectors]") {
  EmbedderEnvironment here;
  const auto mine = std::make_shared<ScriptedEmbedder>();
  const Embedders hosts{{"mine", mine}, {"none", nullptr}};
  CHECK(vectors::make_embedder(CallerEmbedderSpec{"mine"}, 2, hosts, here.environment) == mine);
  CHECK(vectors::make_embedder(CallerEmbedderSpec{}, 2, hosts, here.environment) == nullptr);
  for (const char* name : {"other", "none"}) {
    const auto error = thrown_by<Unavailable>([&] {
      (void)vectors::make_embedder(CallerEmbedderSpec{name}, 2, hosts, here.environment);
    });
    CHECK_THAT(error.what(), ContainsSubstring(name) && ContainsSubstring("mine"));
  }
}

TEST_CASE("an embedder is made only for a dimension of 1 to 8,192", "[vectors]") {
  EmbedderEnvironment here;
  const auto made = [&](std::size_t dimension) {
    return vectors::make_embedder(HashingEmbedderSpec{}, dimension, {}, here.environment);
  };
  CHECK_NOTHROW(made(1));
  CHECK_NOTHROW(made(8192));
  CHECK_THROWS_AS(made(0), InvalidArgument);
  CHECK_THROWS_AS(made(8193), InvalidArgument);
}
