#include <holdfast/space/models.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;
using Json = nlohmann::json;

/// Rows with vectors of two dimensions that come with the writes.
struct Placed : ReadyCli {
  Placed() {
    REQUIRE(run({"model", "create", "plane", "--dim", "2", "--metric", "l2", "--embedder",
                 "caller"})
                .exit_code == 0);
    near = add({"entity", "create", "--kind", "person", "--name", "near", "--tag", "a",
                "--properties", R"({"born":1815})"}, "[1,0]");
    far = add({"entity", "create", "--kind", "city", "--name", "far"}, "plane=[0,9]");
    note = add({"note", "create", "--kind", "memo", "--content", "a note between", "--about",
                near}, "[0.5,2]");
  }
  std::string add(const Words& words, const std::string& vector) const {
    const auto made = json(words + Words{"--vector", vector});
    INFO(made.err);
    REQUIRE(made.exit_code == 0);
    CHECK(made.json()["gave_vectors"] == true);
    CHECK(made.json()["pending"].empty());
    return made.json()["current"]["id"];
  }
  /// The ids of the answer, nearest first.
  std::vector<std::string> ids(const Words& more, const char* to = "[1,0]") const {
    const auto found = json(Words{"similar", "--vector", to} + more);
    INFO(found.err);
    REQUIRE(found.exit_code == 0);
    std::vector<std::string> out;
    const Json answer = found.json();
    for (const auto& item : answer["items"]) out.push_back(item["id"]);
    return out;
  }
  std::string near, far, note;
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("what is similar to a vector comes nearest first, with its row", "[cli]") {
  const Placed cli;
  const auto found = cli.json({"similar", "--vector", "[1,0]"});
  REQUIRE(found.exit_code == 0);
  auto answer = found.json();
  REQUIRE(answer["items"].size() == 3);
  const auto row = cli.json({"entity", "get", cli.near}).json();
  CHECK(answer["items"][0] == Json({{"kind", "entity"}, {"id", cli.near}, {"chunk", 0},
                                    {"distance", 0}, {"is_stale", false}, {"row", row}}));
  CHECK(answer["items"][1]["id"] == cli.note);
  CHECK(answer["items"][2]["id"] == cli.far);
  answer.erase("items");
  CHECK(answer["generation"].is_number());
  answer.erase("generation");
  CHECK(answer == Json::parse(R"({"model": "plane", "seq": 4, "searched": "rows",
    "stale_excluded": 0, "pending": 0, "is_query_stale": false})"));
  const auto text = cli.run({"similar", "--vector", "[1,0]", "-k", "2"}).out;
  for (const char* part :
       {"       0  entity", "\"near\"", "a note between", "2 rows, as of sequence 4"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("no distance is cut, and a model that embeds nothing sends nobody to embed", "[cli]") {
  const Placed cli;
  cli.run({"model", "create", "products", "--dim", "2", "--metric", "ip", "--embedder", "caller"});
  cli.add({"note", "create", "--kind", "memo", "--content", "large", "--vector", "[1,1]"},
          "products=[2e18,1]");
  cli.entity("waits for its vector");
  const auto found =
      cli.run({"similar", "--model", "products", "--vector", "[1e18,0]"});
  REQUIRE(found.exit_code == 0);
  CHECK(found.out.find("-2e+36  note") != std::string::npos);
  CHECK(found.out.find("holdfast embed") == std::string::npos);
}

TEST_CASE("a vector that is no array of numbers is shown as it was typed", "[cli]") {
  const Placed cli;
  const Words memo = {"note", "create", "--kind", "memo", "--content", "text", "--vector"};
  for (const char* bad : {"[1,NaN]", "[1,2", "[1,2] x", "[1,,2]", "[1,2,]", "[]", "[+1,2]",
                          "[01,2]", "[1.,2]", "[.5,2]", "[1,2],\"v\":[3,4]", "[1,2]}", "[\"1\",2]",
                          "[[1,2]]", "[1 2]"}) {
    INFO(bad);
    for (const Words& words : {Words{"similar", "--vector", bad}, memo + Words{bad}}) {
      const auto refused = cli.json(words);
      CHECK(refused.exit_code == 5);
      CHECK(refused.error()["field"] == "vector");
      CHECK(refused.error()["value"] == bad);
    }
  }
  CHECK(cli.json({"similar", "--vector", ""}).error()["value"] == "");
  CHECK(cli.json({"similar", "--vector-file", "-"}, "[1").error()["field"] == "vector_file");
  const auto large = cli.json({"similar", "--vector", "[0,1e39]"});
  CHECK(large.error()["field"] == "vector[1]");
  CHECK(large.error()["value"] == "1e39");
  CHECK(cli.ids({}, " [ 1E0 , -0.0e-3 ] \n") == cli.ids({}));
  CHECK(cli.ids({}, "[99999999999999999,1e-400]").size() == 3);
  CHECK(cli.json({"similar", "--vector", "[1000000000000000000000,0]"}).exit_code == 5);
  const auto squares = cli.json({"similar", "--vector", "[3.4e38,0]"});
  CHECK(squares.error()["value"] == "1.156e+77");
}

TEST_CASE("an equals sign in a model's name does not end it", "[cli]") {
  const Placed cli;
  cli.run({"model", "create", "a=b", "--dim", "3", "--embedder", "caller"});
  const auto made = cli.json({"note", "create", "--kind", "memo", "--content", "text", "--vector",
                              "a=b=[1,2,3]"});
  INFO(made.err);
  CHECK(made.exit_code == 0);
}

TEST_CASE("without a default model every command says so alike", "[cli]") {
  const ReadyCli cli;
  for (const Words& words : {Words{"similar", "--text", "x"}, Words{"embed"},
                             Words{"index", "verify"}, Words{"index", "compact"},
                             Words{"index", "failures"}}) {
    const auto refused = cli.json(words);
    CHECK(refused.exit_code == 3);
    CHECK(refused.error()["kind"] == "model");
    CHECK(refused.error()["message"] == std::string(kNoDefaultModel));
  }
  const auto write = cli.json({"note", "create", "--kind", "memo", "--content", "text", "--vector",
                               "[1]"});
  CHECK(write.error()["message"].get<std::string>().find(kNoDefaultModel) != std::string::npos);
}

TEST_CASE("vectors come with a write as a list or a document, one for each chunk", "[cli]") {
  const Placed cli;
  const Words memo = {"note", "create", "--kind", "memo", "--content", "text"};
  const auto given = [&](const std::string& document) {
    return cli.json(memo + Words{"--vectors", document});
  };
  CHECK(given(R"({"model":"plane","vectors":[[3,4]]})").json()["gave_vectors"] == true);
  CHECK(given(R"({"vectors":[{"model":"plane","vectors":[[3,5]]}]})").exit_code == 0);
  const auto two = cli.json(memo + Words{"--vector", "[1,1]", "--vector", "[2,2]"});
  CHECK(two.exit_code == 5);
  CHECK(two.error()["field"].get<std::string>().starts_with("vectors[0]"));
  for (const char* bad : {"nobody=[1,1]", "[1,1,1]", "[1,null]", "plane", "[1,1e39]"}) {
    INFO(bad);
    CHECK(cli.json(memo + Words{"--vector", bad}).exit_code == 5);
  }
  CHECK(cli.json({"note", "list", "--count"}).json()["count"] == 3);
}

TEST_CASE("what is similar to a row leaves that row out, whatever its kind", "[cli]") {
  const Placed cli;
  const auto to_note = cli.json({"similar", "--id", cli.note}).json();
  REQUIRE(to_note["items"].size() == 2);
  CHECK(to_note["items"][0]["id"] == cli.near);
  CHECK(cli.json({"similar", "--id", "note:" + cli.note}).json()["items"] == to_note["items"]);
  CHECK(cli.json({"similar", "--id", kNobody}).exit_code == 3);
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--about", kNobody}).exit_code == 3);
  CHECK(cli.json({"similar", "--id", "x"}).error()["field"] == "id");
}

TEST_CASE("filters of lists narrow down what is similar, and k rows that match are found",
          "[cli]") {
  const Placed cli;
  CHECK(cli.ids({}) == Ids{cli.near, cli.note, cli.far});
  CHECK(cli.ids({"--rows", "entity"}) == Ids{cli.near, cli.far});
  CHECK(cli.ids({"--rows", "note"}) == Ids{cli.note});
  CHECK(cli.ids({"--kind", "city"}) == Ids{cli.far});
  CHECK(cli.ids({"--tag-any", "a"}) == Ids{cli.near});
  CHECK(cli.ids({"--where", "/born >= 1815"}) == Ids{cli.near});
  CHECK(cli.ids({"--about", cli.near}) == Ids{cli.note});
  CHECK(cli.ids({"--name-prefix", "fa"}) == Ids{cli.far});
  CHECK(cli.ids({"--ids", cli.far, "--ids", cli.note}) == Ids{cli.note, cli.far});
  CHECK(cli.ids({"--created-from", "2999-01-01T00:00:00Z"}).empty());
  CHECK(cli.ids({"-k", "1", "--exact", "--kind", "city"}) == Ids{cli.far});
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--name", "x", "--about", cli.near}).exit_code ==
        2);
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--kind", "city", "--where", "born"})
            .error()["field"] == "where[0]");
}

TEST_CASE("a row whose text has changed is left out and counted, or flagged, or alone", "[cli]") {
  const Placed cli;
  const auto changed = cli.json({"entity", "update", cli.near, "--name", "changed"});
  CHECK(changed.json()["pending"] == Json({"plane"}));
  CHECK(changed.json()["gave_vectors"] == false);
  const auto without = cli.json({"similar", "--vector", "[1,0]"}).json();
  CHECK(without["stale_excluded"] == 1);
  CHECK(without["items"].size() == 2);
  CHECK(cli.ids({"--stale", "only"}) == Ids{cli.near});
  const auto flagged = cli.json({"similar", "--vector", "[1,0]", "--stale", "flag"}).json();
  CHECK(flagged["items"].size() == 3);
  CHECK(flagged["items"][0]["is_stale"] == true);
  CHECK(flagged["items"][0]["row"]["name"] == "changed");
  CHECK(cli.run({"similar", "--vector", "[1,0]"}).out.find("--stale flag shows them") !=
        std::string::npos);
  cli.json({"entity", "update", cli.near, "--name", "again", "--vector", "[1,0]"});
  CHECK(cli.ids({}) == Ids{cli.near, cli.note, cli.far});
}

TEST_CASE("a search reads the index's file, also where it may write nothing", "[cli]") {
  const ReadyCli cli;
  for (int i = 0; i < 20; ++i) cli.entity("name " + std::to_string(i));
  cli.run({"model", "create", "words", "--dim", "32", "--exact-max", "4"});
  cli.run({"index", "compact"});
  const auto index = cli.json({"index", "status", "words"}).json()["index"];
  CHECK(index["is_file_usable"] == true);
  CHECK(index["file_bytes"] > 0);
  const Words search = {"similar", "--text", "name 7", "-k", "1"};
  const auto found = cli.json(search).json();
  CHECK(found["searched"] == "graph");
  CHECK(found["items"][0]["row"]["name"] == "name 7");
  std::filesystem::remove_all(cli.database().string() + "-vectors");
  CHECK(cli.json(search).json()["items"] == found["items"]);
}

TEST_CASE("words are near to a text that has them", "[cli]") {
  const ReadyCli cli;
  cli.entity("deployment checklist");
  const std::string tea = cli.entity("green tea");
  cli.run({"model", "create", "words", "--dim", "128"});
  const auto found = cli.json({"similar", "--text", "a cup of tea", "-k", "1"}).json();
  REQUIRE(found["items"].size() == 1);
  CHECK(found["items"][0]["id"] == tea);
  CHECK(found["model"] == "words");
}

TEST_CASE("what is asked of similar must be one thing, of the model's dimension", "[cli]") {
  const Placed cli;
  CHECK(cli.json({"similar"}).exit_code == 2);
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--id", cli.near}).exit_code == 2);
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--stale", "maybe"}).exit_code == 2);
  const auto three = cli.json({"similar", "--vector", "[1,2,3]"});
  CHECK(three.exit_code == 5);
  CHECK(three.error()["field"] == "vector");
  CHECK(three.error()["value"] == "3");
  for (const char* bad : {"1,0", "[1,\"x\"]", "{}", "[1,0],[2]", "[1,0", ""}) {
    INFO(bad);
    const auto refused = cli.json({"similar", "--vector", bad});
    CHECK(refused.exit_code == 5);
    CHECK(refused.error()["field"].get<std::string>().starts_with("vector"));
  }
  CHECK(cli.json({"similar", "--vector", "[1,0]", "-k", "0"}).error()["field"] == "k");
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--ef", "10001"}).error()["field"] == "ef");
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--generation", "99"}).exit_code == 4);
  CHECK(cli.json({"similar", "--vector", "[1,0]", "--model", "nobody"}).exit_code == 3);
  CHECK(cli.json({"similar", "--vector-file", "-"}, "[1,0]").exit_code == 0);
}

}  // namespace holdfast::test
