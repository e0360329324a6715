#include <sys/stat.h>

#include <cctype>
#include <fstream>
#include <thread>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {

using Words = Cli::Words;

TEST_CASE("P9: an error leaves stdout empty", "[cli]") {
  const ReadyCli cli;
  for (const Words& words :
       {Words{"entity", "get", kNobody}, {"entity", "get", "x"}, {"nothing"}}) {
    CHECK(cli.run(words).out.empty());
    CHECK(cli.json(words).out.empty());
    CHECK(cli.run(words).err.starts_with("holdfast: "));
  }
}

TEST_CASE("P9: progress goes to stderr, and with --json nowhere", "[cli]") {
  const ReadyCli cli;
  CHECK(cli.run({"verify"}).err.starts_with("verify default: "));
  const auto answer = cli.json({"verify"});
  CHECK(answer.json()["findings_total"] == 0);
  CHECK(answer.err.empty());
}

TEST_CASE("global options may stand behind the command", "[cli]") {
  const ReadyCli cli;
  CHECK(cli.run({"entity", "list", "--json"}).json()["items"].empty());
  CHECK(cli.run({"init", "--space", "work"}).exit_code == 0);
  CHECK(cli.run({"entity", "list", "--space", "work", "--json"}).json()["items"].empty());
}

TEST_CASE("what a row holds cannot drive a terminal", "[cli]") {
  const ReadyCli cli;
  const std::string evil = "a\x1b[2J\nb\xC2\x9B" "31m\u202Ec";
  const std::string id = cli.entity(evil, evil);
  cli.run({"note", "create", "--kind", "x", "--about", id, "--content", evil});
  for (const Words& words : {Words{"entity", "get", id}, {"entity", "list"}, {"note", "list"},
                             {"entity", "history", id}, {"entity", "delete", id}}) {
    for (const unsigned char c : cli.run(words).out) CHECK((c >= 0x20 || c == '\n'));
    CHECK(cli.run(words).out.find('\x9B') == std::string::npos);
    CHECK(cli.run(words).out.find("\u202E") == std::string::npos);
  }
  CHECK(cli.json({"entity", "get", id}).json()["name"] == evil);
}

TEST_CASE("an answer that cannot be written is exit code 6", "[cli]") {
  ReadyCli cli;
  cli.stdout_path = "/dev/full";
  for (const Words& words : {Words{"info"}, {"entity", "list"}, {"where"}, {"--help"}}) {
    const auto answer = cli.run(words);
    CHECK(answer.exit_code == 6);
    CHECK(answer.err.find("could not be written") != std::string::npos);
  }
}

TEST_CASE("a write whose answer cannot be written says that it was carried out", "[cli]") {
  ReadyCli cli;
  cli.stdout_path = "/dev/full";
  const auto answer = cli.json({"entity", "create", "--kind", "x", "--name", "y"});
  CHECK(answer.exit_code == 6);
  CHECK(answer.error()["message"].get<std::string>().starts_with(
      "the command was carried out, but its answer could not be written: "));
  cli.stdout_path.reset();
  CHECK(cli.run({"entity", "list", "--count"}).out == "1\n");
}

TEST_CASE("a reader that has seen enough of a list is not told of an error", "[cli]") {
  ReadyCli cli;
  cli.stdout_path = cli.home() / "pipe";
  REQUIRE(mkfifo(cli.stdout_path->c_str(), 0600) == 0);
  // More than a pipe takes in: however late the reader leaves, the program is still writing.
  const std::string large = R"({"text":")" + std::string(100'000, 'x') + R"("})";
  const auto run = [&](const Words& words) {
    std::thread reader([&] { std::ifstream closed_at_once(*cli.stdout_path); });
    const auto answer = cli.run(words);
    reader.join();
    CHECK(answer.exit_code == 6);
    return answer.err;
  };
  CHECK(run({"--json", "entity", "create", "--kind", "x", "--name", "y", "--properties", large})
            .find("was carried out") != std::string::npos);
  CHECK(run({"--json", "entity", "list"}).empty());
}

TEST_CASE("the version is the project's", "[cli]") {
  const Cli cli;
  CHECK(cli.run({"--version"}).out.starts_with("holdfast "));
  CHECK(std::isdigit(cli.json({"--version"}).json()["version"].get<std::string>()[0]) != 0);
}

TEST_CASE("the actor is --actor, else HOLDFAST_ACTOR, else USER", "[cli]") {
  ReadyCli cli;
  const auto actor = [&](const Words& before) {
    Words words = before;
    words.insert(words.end(), {"entity", "create", "--kind", "x", "--name", "y"});
    const std::string id = cli.json(words).json()["current"]["id"];
    return cli.json({"entity", "history", id}).json()["items"][0]["actor"].get<std::string>();
  };
  CHECK(actor({}) == "tester");
  cli.variables["HOLDFAST_ACTOR"] = "agent 7";
  CHECK(actor({}) == "agent 7");
  CHECK(actor({"--actor", "me"}) == "me");
}

}  // namespace holdfast::test
