#include <signal.h>

#include <set>

#include <holdfast/space/store.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;
using Json = nlohmann::json;

/// A space with a model by words, and that many entities in it.
struct Indexed : ReadyCli {
  explicit Indexed(std::size_t count = 3) {
    add("e", count);
    REQUIRE(run({"model", "create", "words", "--dim", "32"}).exit_code == 0);
  }
  void add(const std::string& name, std::size_t count) const {
    std::string steps;
    for (std::size_t i = 0; i < count; ++i) {
      steps += (i == 0 ? "" : ",") +
               (R"({"op":"create","kind":"entity","row":{"kind":"x","name":")" + name + " " +
                std::to_string(i) + R"("}})");
    }
    REQUIRE(run({"apply", "-"}, R"({"steps":[)" + steps + "]}").exit_code == 0);
  }
  Json status() const { return json({"index", "status", "words"}).json(); }
};

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

}  // namespace

TEST_CASE("a model's status counts its sources exactly, by state", "[cli]") {
  const Indexed cli;
  cli.entity("one more");
  const auto status = cli.status();
  CHECK(keys_of(status) == std::set<std::string>{"model", "tail", "serving", "building", "rebuild",
                                                 "embed", "index"});
  CHECK(keys_of(status["serving"]) ==
        std::set<std::string>{"generation", "state", "declaration", "is_outdated", "current",
                              "stale", "missing", "failed", "pending", "behind", "vectors",
                              "watermark", "walk_done", "walked", "total", "created_at"});
  const auto& serving = status["serving"];
  CHECK(serving["state"] == "serving");
  CHECK(serving["current"] == 3);
  CHECK(serving["missing"] == 1);
  CHECK(serving["stale"] == 0);
  CHECK(serving["failed"] == 0);
  CHECK(serving["pending"] == 1);
  CHECK(serving["behind"] == 1);
  CHECK(serving["vectors"] == 3);
  CHECK(status["building"].is_null());
  CHECK(status["rebuild"].is_null());
  CHECK(status["embed"].is_null());
}

TEST_CASE("the status of the index tells of this process and of the file", "[cli]") {
  const Indexed cli;
  const auto index = cli.status()["index"];
  CHECK(keys_of(index) ==
        std::set<std::string>{"generation", "parameters", "state", "stored", "vectors", "tail",
                              "tombstones", "strays", "bytes", "bytes_per_vector", "cursor",
                              "behind", "building_done", "file", "is_file_usable", "file_cursor",
                              "file_bytes", "file_refusal", "last_error"});
  CHECK(index["stored"] == 3);
  CHECK(index["file"].get<std::string>().ends_with(".segment"));
  CHECK(index["generation"] == cli.status()["serving"]["generation"]);
  CHECK(cli.json({"index", "status"}).json()["items"][0]["model"] == cli.status()["model"]);
  const auto text = cli.run({"index", "status"}).out;
  for (const char* part : {"model words, the default", "serving", "index in this process",
                           "being embedded", "by nobody", "1 model\n"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(cli.json({"index", "status", "nobody"}).error()["kind"] == "model");
}

TEST_CASE("new parameters of an index leave the vectors as they are", "[cli]") {
  const Indexed cli;
  const auto before = cli.status()["serving"];
  const auto indexed = cli.json({"index", "rebuild", "words", "--m", "8"});
  REQUIRE(indexed.exit_code == 0);
  CHECK(indexed.json()["end"] == "indexed");
  CHECK(indexed.json()["index"]["parameters"]["m"] == 8);
  CHECK(indexed.json()["index"]["state"] == "ready");
  CHECK(cli.status()["model"]["index"]["m"] == 8);
  CHECK(cli.status()["serving"]["generation"] == before["generation"]);
  const auto anew = cli.json({"index", "rebuild", "words", "--m", "9", "--anew"});
  CHECK(anew.json()["end"] == "swapped");
  CHECK(cli.status()["serving"]["generation"] > before["generation"]);
}

TEST_CASE("a rebuild takes a new declaration, embeds all by it, and swaps", "[cli]") {
  const Indexed cli;
  cli.run({"index", "rebuild", "words", "--m", "8"});
  const auto before = cli.status()["serving"]["generation"];
  const auto rebuilt = cli.json({"index", "rebuild", "words"});
  REQUIRE(rebuilt.exit_code == 0);
  CHECK(rebuilt.json()["end"] == "swapped");
  CHECK(rebuilt.json()["walked"] == 3);
  const auto wider = cli.run({"index", "rebuild", "words", "--dim", "64", "--gram-max", "4"});
  REQUIRE(wider.exit_code == 0);
  CHECK(wider.out.find("3 rows walked") != std::string::npos);
  const auto status = cli.status();
  CHECK(status["serving"]["generation"] > before);
  CHECK(status["serving"]["declaration"]["dimension"] == 64);
  CHECK(status["serving"]["declaration"]["embedder"]["gram_max"] == 4);
  CHECK(status["model"]["index"]["m"] == 8);
  CHECK(status["building"].is_null());
  CHECK(cli.json({"index", "rebuild", "nobody"}).exit_code == 3);
  CHECK(cli.json({"index", "rebuild", "words", "--batch", "0"}).error()["field"] == "batch");
}

TEST_CASE("an interrupted rebuild serves as before, and the next goes on with it", "[cli]") {
  const Indexed cli(2000);
  const Words wider = {"index", "rebuild", "words", "--dim", "64", "--batch", "1"};
  const auto stopped = cli.interrupt(wider, "walk words: ", SIGINT);
  REQUIRE(stopped.exit_code == 130);
  CHECK(stopped.err.find("index cancel words") != std::string::npos);
  const auto status = cli.status();
  CHECK(status["serving"]["declaration"]["dimension"] == 32);
  CHECK(status["building"]["declaration"]["dimension"] == 64);
  CHECK(status["building"]["walked"] > 0);
  CHECK(cli.json({"similar", "--text", "e 7", "-k", "1"}).json()["items"].size() == 1);
  const auto done = cli.json({"index", "rebuild", "words"});
  REQUIRE(done.exit_code == 0);
  CHECK(done.json()["was_resumed"] == true);
  CHECK(done.json()["walked"] == 2000);
  CHECK(done.json()["outcomes"]["applied"] < 2000);
  CHECK(cli.status()["serving"]["declaration"]["dimension"] == 64);
  CHECK(cli.run({"index", "verify", "words"}).exit_code == 0);
}

TEST_CASE("a cancelled rebuild leaves what served, as it was declared", "[cli]") {
  const Indexed cli(2000);
  REQUIRE(cli.interrupt({"index", "rebuild", "words", "--dim", "64", "--batch", "1"},
                        "walk words: ", SIGINT)
              .exit_code == 130);
  CHECK(cli.json({"index", "cancel", "words"}).json()["outcome"] == "cancelled");
  CHECK(cli.json({"index", "cancel", "words"}).json()["outcome"] == "unchanged");
  CHECK(cli.status()["building"].is_null());
  CHECK(cli.status()["model"]["dimension"] == 32);
  CHECK(cli.json({"index", "cancel", "nobody"}).exit_code == 3);
}

TEST_CASE("verify holds the index against its rows, and compact folds it", "[cli]") {
  const Indexed cli;
  const auto verified = cli.json({"index", "verify"});
  REQUIRE(verified.exit_code == 0);
  CHECK(keys_of(verified.json()) ==
        std::set<std::string>{"model", "generation", "seq", "vectors", "searched",
                              "findings_total", "findings"});
  CHECK(verified.json()["vectors"] == 3);
  CHECK(verified.json()["findings_total"] == 0);
  CHECK(cli.run({"index", "verify", "words"}).out.starts_with("clean: 3 vectors"));
  const auto compacted = cli.json({"index", "compact", "words"});
  REQUIRE(compacted.exit_code == 0);
  CHECK(keys_of(compacted.json()) ==
        std::set<std::string>{"model", "vectors", "dropped", "files_removed",
                              "index_bytes_before", "index_bytes", "database_bytes_before",
                              "database_bytes"});
  CHECK(compacted.json()["vectors"] == 3);
  CHECK(cli.run({"index", "compact"}).out.find("compacted the index of model words") == 0);
  CHECK(cli.json({"index", "verify", "nobody"}).exit_code == 3);
}

TEST_CASE("a rebuild that waits for vectors lists the rows and says how they are given", "[cli]") {
  const ReadyCli cli;
  cli.run({"model", "create", "plane", "--dim", "2", "--embedder", "caller"});
  const std::string id = cli.json({"entity", "create", "--kind", "x", "--name", "Ann", "--vector",
                                   "[1,0]"}).json()["current"]["id"];
  const Words rebuild = {"index", "rebuild", "plane", "--dim", "3"};
  const auto refused = cli.json(rebuild);
  CHECK(refused.exit_code == 4);
  const auto error = refused.error();
  CHECK(error["outcome"] == "incomplete");
  CHECK(error["problems_total"] == 1);
  CHECK(error["waiting"] == 1);
  REQUIRE(error["problems"].size() == 1);
  CHECK(error["problems"][0]["id"] == id);
  const auto text = cli.run(rebuild).err;
  for (const char* part : {"1 row has none", "that name generation", "rebuild it again"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  const Json given = {{"model", "plane"}, {"vectors", {{1, 2, 3}}},
                      {"generation", error["generation"]}};
  CHECK(cli.run({"entity", "update", id, "--name", "Ann", "--vectors", given.dump()}).exit_code ==
        0);
  CHECK(cli.json({"index", "rebuild", "plane"}).json()["end"] == "swapped");
}

TEST_CASE("progress that is not on a terminal comes every two seconds, whatever the step",
          "[cli]") {
  const Indexed cli(2000);
  const auto rebuilt =
      cli.run({"index", "rebuild", "words", "--dim", "64", "--exact-max", "4", "--batch", "1000"});
  REQUIRE(rebuilt.exit_code == 0);
  std::size_t lines = 0;
  for (auto at = rebuilt.err.find("prepare words"); at != std::string::npos;
       at = rebuilt.err.find("prepare words", at + 1)) {
    ++lines;
  }
  INFO(rebuilt.err);
  CHECK(lines <= 3);
}

TEST_CASE("verify says that a small index has no graph to search", "[cli]") {
  const Indexed cli;
  CHECK(cli.run({"index", "verify", "words"}).out.find("there is no graph") != std::string::npos);
}

}  // namespace holdfast::test
