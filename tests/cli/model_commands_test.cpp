#include <signal.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;
using Json = nlohmann::json;

const Words kCreate = {"model", "create", "words", "--dim", "32"};

}  // namespace

TEST_CASE("a model is declared and built, and declaring it again changes nothing", "[cli]") {
  const ReadyCli cli;
  cli.entity("Ann");
  const auto created = cli.json(kCreate);
  REQUIRE(created.exit_code == 0);
  const auto answer = created.json();
  CHECK(answer["outcome"] == "created");
  CHECK(answer["build"]["walked"] == 1);
  CHECK(answer["build"]["outcomes"] == Json({{"applied", 1}}));
  auto model = answer["model"];
  CHECK(model["created_at"].is_number());
  model.erase("created_at");
  CHECK(model == Json::parse(R"({
    "name": "words", "dimension": 32, "metric": "cosine",
    "embedder": {"type": "hashing", "gram_min": 3, "gram_max": 5},
    "sources": [{"kind": "entity", "paths": ["/name"]}, {"kind": "note", "paths": ["/content"]}],
    "chunking": {"chunk_chars": 0, "overlap_chars": 0},
    "index": {"form": "codes", "m": 16, "ef_construction": 100, "ef_search": 100,
              "exact_max": 4096},
    "is_default": true})"));
  const auto again = cli.json(kCreate);
  CHECK(again.exit_code == 0);
  CHECK(again.json()["outcome"] == "unchanged");
  CHECK(again.json()["build"].is_null());
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("what a model is declared with is what its flags say", "[cli]") {
  const ReadyCli cli;
  const auto created = cli.json(
      {"model", "create", "remote", "--dim", "3", "--metric", "l2", "--url",
       "http://localhost:9/v1", "--embed-model", "small", "--key-env", "SOME_KEY", "--timeout",
       "1.5", "--send-dimension", "--source", "entity:/name,/properties/a,b", "--source",
       "note:/content", "--chunk-chars", "200", "--chunk-overlap", "20", "--form", "floats", "--m",
       "8", "--ef-construction", "50", "--ef", "60", "--exact-max", "0", "--no-build"});
  REQUIRE(created.exit_code == 0);
  CHECK(created.json()["build"].is_null());
  const auto model = created.json()["model"];
  CHECK(model["embedder"] == Json::parse(R"({"type": "http", "url": "http://localhost:9/v1",
    "model": "small", "key_env": "SOME_KEY", "send_dimension": true, "timeout_ms": 1500})"));
  CHECK(model["sources"][0]["paths"] == Json({"/name", "/properties/a,b"}));
  CHECK(model["chunking"] == Json({{"chunk_chars", 200}, {"overlap_chars", 20}}));
  CHECK(model["index"] == Json::parse(R"({"form": "floats", "m": 8, "ef_construction": 50,
    "ef_search": 60, "exact_max": 0})"));
  CHECK(cli.json({"model", "show", "remote"}).json() == model);
}

TEST_CASE("a name that stands for another model is a conflict and shows it", "[cli]") {
  const ReadyCli cli;
  cli.run(kCreate);
  const auto refused = cli.json({"model", "create", "words", "--dim", "16"});
  CHECK(refused.exit_code == 4);
  CHECK(refused.error()["outcome"] == "declared_otherwise");
  CHECK(refused.error()["current"]["dimension"] == 32);
  CHECK(cli.run({"model", "create", "words", "--dim", "16"}).err.find("index rebuild words") !=
        std::string::npos);
  cli.run({"key", "declare", "email", "/email"});
  const auto key = cli.json({"model", "create", "email", "--dim", "16"});
  CHECK(key.exit_code == 4);
  CHECK(key.error()["current"].is_null());
}

TEST_CASE("models are listed, the first is the default until another is made it", "[cli]") {
  const ReadyCli cli;
  cli.run(kCreate);
  cli.run({"model", "create", "other", "--dim", "8"});
  CHECK(cli.json({"model", "list"}).json()["items"][0] ==
        cli.json({"model", "show", "other"}).json());
  CHECK(cli.json({"model", "show", "words"}).json()["is_default"] == true);
  CHECK(cli.json({"model", "default", "other"}).json() ==
        Json({{"outcome", "default"}, {"name", "other"}}));
  CHECK(cli.json({"model", "show", "words"}).json()["is_default"] == false);
  cli.run({"model", "create", "third", "--dim", "8", "--default"});
  CHECK(cli.json({"model", "show", "third"}).json()["is_default"] == true);
  const auto text = cli.run({"model", "list"}).out;
  for (const char* part : {"3 models\n", "hashing, by words", "cosine"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(cli.json({"model", "default", "nobody"}).error()["kind"] == "model");
  CHECK(cli.json({"model", "show", "nobody"}).exit_code == 3);
}

TEST_CASE("dropping a model asks for consent and takes its vectors along", "[cli]") {
  const ReadyCli cli;
  cli.entity("Ann");
  cli.run(kCreate);
  const auto asked = cli.json({"model", "drop", "words"});
  CHECK(asked.exit_code == 2);
  CHECK(asked.error()["message"].get<std::string>().find("--yes") != std::string::npos);
  CHECK(cli.json({"model", "drop", "words", "--yes"}).json() ==
        Json({{"outcome", "dropped"}, {"name", "words"}}));
  CHECK(cli.json({"model", "list"}).json()["items"].empty());
  CHECK(cli.json({"model", "drop", "words", "--yes"}).exit_code == 3);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("an option that the embedder has no use for, or lacks, is named", "[cli]") {
  const ReadyCli cli;
  const auto refused = [&](const Words& flags) {
    const auto run = cli.json(Words{"model", "create", "bad", "--dim", "8"} + flags);
    CHECK(run.exit_code == 2);
    return run.error()["message"].get<std::string>();
  };
  CHECK(refused({"--timeout", "5"}).starts_with("--timeout is for --embedder http"));
  CHECK(refused({"--embedder", "caller", "--url", "http://x"}).starts_with("--url is for"));
  CHECK(refused({"--embedder", "caller", "--gram-min", "3"}).starts_with("--gram-min is for"));
  CHECK(refused({"--url", "http://x"}).find("--embed-model") != std::string::npos);
  CHECK(refused({"--embed-model", "x"}).find("--url") != std::string::npos);
  cli.run({"model", "create", "words", "--dim", "8"});
  CHECK(cli.json({"index", "rebuild", "words", "--key-env", "X"}).exit_code == 2);
  CHECK(cli.json({"model", "list"}).json()["items"].size() == 1);
}

TEST_CASE("a declaration that breaks a rule is refused by field and value", "[cli]") {
  const ReadyCli cli;
  struct Bad {
    Words flags;
    const char* field;
    const char* value;
  };
  for (const Bad& bad : {Bad{{"--dim", "0"}, "dimension", "0"},
                         Bad{{"--dim", "8193"}, "dimension", "8193"},
                         Bad{{"--dim", "x"}, "dimension", "x"},
                         Bad{{"--dim", "8", "--m", "1"}, "m", "1"},
                         Bad{{"--dim", "8", "--exact-max", "1000001"}, "exact_max", "1000001"},
                         Bad{{"--dim", "8", "--source", "entity"}, "source", "entity"},
                         Bad{{"--dim", "8", "--source", "planet:/name"}, "sources.kind", "planet"},
                         Bad{{"--dim", "8", "--source", "entity:/name,/name"},
                             "sources[0].paths[1]", "/name"},
                         Bad{{"--dim", "8", "--gram-min", "9"}, "gram_min", "9"},
                         Bad{{"--dim", "8", "--chunk-overlap", "-1"}, "chunk_overlap", "-1"},
                         Bad{{"--dim", "8", "--timeout", "601"}, "timeout", "601"},
                         Bad{{"--dim", "8", "--lease", "0"}, "lease", "0"}}) {
    INFO(bad.field << " " << bad.value);
    const auto refused = cli.json(Words{"model", "create", "bad"} + bad.flags);
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"] == bad.field);
    CHECK(refused.error()["value"] == bad.value);
  }
  CHECK(cli.json({"model", "create", "bad"}).exit_code == 2);
  CHECK(cli.json({"model", "create", "bad", "--dim", "8", "--metric", "manhattan"}).exit_code == 2);
  CHECK(cli.json({"model", "list"}).json()["items"].empty());
}

}  // namespace holdfast::test
