#include <signal.h>

#include "cli.h"
#include "support/catch.h"
#include "support/foreign_sqlite.h"
#include "support/small_go.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

constexpr const char* kWordNet = "/usr/share/wordnet";  // Debian: wordnet-base
constexpr int kRows = 552690;

/// A whole WordNet of five synsets.
void write_small_wordnet(const Cli& cli) {
  cli.write("data.noun",
            "  1 A licence.  \n"
            "00000100 04 n 01 breath 0 001 + 00000200 v 0101 | air drawn in  \n");
  cli.write("data.verb",
            "00000200 29 v 02 breathe 0 take_a_breath 0 001 + 00000100 n 0101 "
            "02 + 02 00 + 08 01 | draw air  \n");
  cli.write("data.adj",
            "00000300 00 a 02 able(p) 0 well_able 0 000 | having means  \n"
            "00000400 00 s 01 ready(ip) 0 001 & 00000300 a 0000 | prepared  \n");
  cli.write("data.adv", "00000500 02 r 01 ably 0 001 \\ 00000300 s 0101 | with ability  \n");
}

}  // namespace

TEST_CASE("import brings a source in, and a second run changes nothing", "[cli]") {
  const ReadyCli cli;
  write_small_wordnet(cli);
  const Words words = {"import", "--format", "wordnet", "."};
  const auto first = cli.json(words);
  REQUIRE(first.exit_code == 0);
  CHECK(first.json()["entities"]["created"] == 5);
  CHECK(first.json()["notes"]["created"] == 5);
  CHECK(first.json()["complete"] == true);
  CHECK(first.err.empty());
  const auto second = cli.json(words);
  CHECK(second.exit_code == 0);
  CHECK(second.json()["changed_nothing"] == true);
  CHECK(second.json()["entities"]["existing"] == 5);
  const auto third = cli.run(words);
  CHECK(third.out.find("nothing changed") != std::string::npos);
  CHECK(third.err.find("import: reading .") != std::string::npos);
}

TEST_CASE("an import writes as import:wordnet unless told otherwise", "[cli]") {
  const ReadyCli cli;
  write_small_wordnet(cli);
  cli.run({"import", "--format", "wordnet", "."});
  cli.run({"--space", "mine", "init"});
  cli.run({"--space", "mine", "--actor", "me", "import", "--format", "wordnet", "."});
  const std::string id =
      cli.json({"entity", "list", "--name", "breath"}).json()["items"][0]["id"];
  CHECK(cli.json({"entity", "history", id}).json()["items"][0]["actor"] == "import:wordnet");
  CHECK(cli.json({"--space", "mine", "entity", "history", id}).json()["items"][0]["actor"] ==
        "me");
}

TEST_CASE("import brings a GO file in and counts what the file holds", "[cli]") {
  const ReadyCli cli;
  run_sql(cli.home() / "go.sqlite", kSmallGo);
  const Words words = {"import", "--format", "go", "go.sqlite"};
  const auto first = cli.json(words);
  REQUIRE(first.exit_code == 0);
  CHECK(first.json()["format"] == "go");
  CHECK(first.json()["entities"]["created"] == 6);
  CHECK(first.json()["edges"]["created"] == 6);
  CHECK(first.json()["terms"] == 5);
  CHECK(first.json()["obsolete_terms"] == 1);
  CHECK(first.json()["kept"][0]["id"] == "go_synonym row 4");
  const auto second = cli.run(words);
  CHECK(second.exit_code == 0);
  CHECK(second.out.find("from 5 terms, 1 obsolete term, 6 parents") != std::string::npos);
  CHECK(second.out.find("nothing changed") != std::string::npos);
  run_sql(cli.home() / "go.sqlite", "DROP TABLE go_term");
  const auto broken = cli.json(words);
  CHECK(broken.exit_code == 5);
  CHECK(broken.error()["message"].get<std::string>().find("go_term") != std::string::npos);
}

TEST_CASE("a source that is not there or damaged changes nothing", "[cli]") {
  const ReadyCli cli;
  const auto absent = cli.json({"import", "--format", "wordnet", "nowhere"});
  CHECK(absent.exit_code == 3);
  CHECK(absent.error()["code"] == "not_found");
  write_small_wordnet(cli);
  cli.write("data.adv", "00000500 02 r 01 ably 0 001 \\ 00000999 a 0101 | with ability  \n");
  CHECK(cli.run({"import", "--format", "wordnet", "."}).exit_code == 5);
  CHECK(cli.run({"entity", "list", "--count"}).out == "0\n");
}

TEST_CASE("Ctrl-C stops an import between transactions, and the store is sound", "[cli][slow]") {
  const ReadyCli cli;
  const Words words = {"import", "--format", "wordnet", kWordNet};
  const auto stopped = cli.interrupt(words, "1,000 of 552,690", SIGINT);
  CHECK(stopped.exit_code == 130);
  CHECK(stopped.out.find("WORDNET") != std::string::npos);
  const int created = cli.json({"entity", "list", "--count"}).json()["count"];
  CHECK(created > 0);
  CHECK(created % 1000 == 0);
  CHECK(created < kRows);
  CHECK(stopped.err.find("run the same command again to go on") != std::string::npos);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("an import that was stopped is completed by the next", "[cli][soak]") {
  const ReadyCli cli;
  const Words words = {"import", "--format", "wordnet", kWordNet};
  const auto stopped = cli.interrupt(words, "/s, ", SIGTERM);
  CHECK(stopped.exit_code == 128 + SIGTERM);
  const int before = cli.json({"entity", "list", "--count"}).json()["count"];
  const auto rest = cli.json(words);
  REQUIRE(rest.exit_code == 0);
  CHECK(rest.json()["entities"]["existing"] == before);
  CHECK(rest.json()["entities"]["created"] == 117659 - before);
  CHECK(cli.run({"edge", "list", "--count"}).out == "317372\n");
  CHECK(cli.run({"verify"}).exit_code == 0);
}

}  // namespace holdfast::test
