#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {

using Words = Cli::Words;

TEST_CASE("a note's content comes from a flag, a file or stdin, verbatim", "[cli]") {
  const ReadyCli cli;
  const std::string text = "line one\n\n  line two\n";
  cli.write("note.txt", text);
  const auto content = [&](const Words& how, const std::string& input) {
    Words words = {"note", "create", "--kind", "summary"};
    words.insert(words.end(), how.begin(), how.end());
    return cli.json(words, input).json()["current"]["content"].get<std::string>();
  };
  CHECK(content({"--content", text}, "") == text);
  CHECK(content({"--content-file", "note.txt"}, "") == text);
  CHECK(content({"--content-file", "-"}, text) == text);
  CHECK(content({"--content", "-"}, text) == "-");
  CHECK(cli.run({"note", "create", "--kind", "x", "--content", "a", "--content-file", "-"})
            .exit_code == 2);
}

TEST_CASE("a note may hold a mebibyte of anything, and no more", "[cli]") {
  const ReadyCli cli;
  const std::string most(std::size_t{1} << 20U, '"');
  const Words words = {"note", "create", "--kind", "x", "--content-file", "-"};
  const auto made = cli.json(words, most);
  REQUIRE(made.exit_code == 0);
  CHECK(made.json()["current"]["content"].get<std::string>() == most);
  CHECK(cli.run(words, most + "x").exit_code == 5);
}

TEST_CASE("the largest note goes back in as get --json prints it", "[cli]") {
  const ReadyCli cli;
  cli.write("most.txt", std::string(std::size_t{1} << 20U, '\x01'));
  const std::string id = cli.json({"note", "create", "--kind", "x", "--content-file", "most.txt"})
                             .json()["current"]["id"];
  const auto row = cli.run({"--json", "note", "get", id});
  REQUIRE(row.out.size() > std::size_t{6} << 20U);
  const auto back = cli.json({"note", "replace", id, "--from", "-"}, row.out);
  CHECK(back.exit_code == 0);
  CHECK(back.json()["current"]["content"] == row.json()["content"]);
}

TEST_CASE("a key names one live note", "[cli]") {
  const ReadyCli cli;
  const Words words = {"note", "create", "--kind", "x", "--content", "a", "--key", "k"};
  const std::string id = cli.json(words).json()["current"]["id"];
  const auto taken = cli.json(words);
  CHECK(taken.exit_code == 4);
  CHECK(taken.error()["outcome"] == "key_taken");
  CHECK(taken.error()["current"]["id"] == id);
  CHECK(cli.json({"note", "list", "--key", "k"}).json()["items"].size() == 1);
}

TEST_CASE("a note about a deleted entity says so", "[cli]") {
  const ReadyCli cli;
  const std::string alice = cli.entity("Alice");
  const auto made = cli.json(
      {"note", "create", "--kind", "x", "--about", alice, "--content", "likes tea"});
  const std::string id = made.json()["current"]["id"];
  CHECK(made.json()["current"]["about_is_deleted"] == false);
  cli.run({"entity", "delete", alice});
  CHECK(cli.json({"note", "get", id}).json()["about_is_deleted"] == true);
  CHECK(cli.run({"note", "get", id}).out.find("which is deleted") != std::string::npos);
  CHECK(cli.run({"note", "list", "--about", alice}).out.find("(deleted)") != std::string::npos);
  const auto refused = cli.json(
      {"note", "create", "--kind", "x", "--about", alice, "--content", "likes tea"});
  CHECK(refused.exit_code == 3);
  CHECK(refused.error()["missing"] == nlohmann::json({alice}));
}

TEST_CASE("expired notes are listed on demand", "[cli]") {
  const ReadyCli cli;
  cli.run({"note", "create", "--kind", "x", "--content", "old", "--expires-at",
           "2020-01-01T00:00:00Z", "--salience", "0.25"});
  CHECK(cli.json({"note", "list"}).json()["items"].empty());
  const auto all = cli.json({"note", "list", "--include-expired"}).json();
  CHECK(all["items"][0]["content"] == "old");
  CHECK(all["items"][0]["salience"] == 0.25);
}

TEST_CASE("notes are patched, replaced, deleted and restored like the rest", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.json({"note", "create", "--kind", "x", "--content", "a", "--key", "k"})
                             .json()["current"]["id"];
  CHECK(cli.json({"note", "update", id, "--patch", R"({"key":null})"})
            .json()["current"]["key"].is_null());
  auto row = cli.json({"note", "update", id, "--content", "b"}).json()["current"];
  row["content"] = "c";
  CHECK(cli.json({"note", "replace", id, "--from", "-"}, row.dump()).json()["current"]["content"] ==
        "c");
  CHECK(cli.run({"note", "replace", id, "--from", "-"}, row.dump()).exit_code == 4);
  CHECK(cli.run({"note", "delete", id}).exit_code == 0);
  CHECK(cli.run({"note", "restore", id}).exit_code == 0);
  CHECK(cli.json({"note", "history", id}).json()["items"].size() == 6);
}

}  // namespace holdfast::test
