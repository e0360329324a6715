#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

/// Three entities, and notes and edges of the same properties.
class People : public ReadyCli {
 public:
  People() {
    add("Ada", R"({"born":1815,"field":"mathematics"})", {"--tag", "x", "--tag", "y"});
    add("Grace", R"({"born":1906,"first name":null})", {"--tag", "y"});
    add("Nobody", "{}", {});
  }

  /// What `list` answers: the names, or the contents, joined by commas.
  std::string listed(const std::string& kind, const Words& filter) const {
    Words words = {kind, "list"};
    words.insert(words.end(), filter.begin(), filter.end());
    const auto page = json(words).json();
    std::string names;
    for (const auto& row : page["items"]) {
      const auto& name = row[kind == "entity" ? "name" : kind == "note" ? "content" : "relation"];
      names += (names.empty() ? "" : ",") + name.get<std::string>();
    }
    words.push_back("--count");
    CHECK(json(words).json()["count"] == page["items"].size());
    return names;
  }

 private:
  void add(const std::string& name, const std::string& properties, const Words& tags) const {
    Words words = {"entity", "create", "--kind",       "person",
                   "--name", name,     "--properties", properties};
    words.insert(words.end(), tags.begin(), tags.end());
    const std::string id = json(words).json()["current"]["id"];
    words = {"note",  "create",    "--kind",       "x",       "--content", name,
             "--key", "k/" + name, "--properties", properties};
    words.insert(words.end(), tags.begin(), tags.end());
    REQUIRE(run(words).exit_code == 0);
    const std::string other = entity("place", "place");
    REQUIRE(run({"edge", "create", "--source", id, "--relation", name, "--target", other,
                 "--properties", properties})
                .exit_code == 0);
  }
};

}  // namespace

TEST_CASE("lists of every kind are filtered by properties", "[cli]") {
  const People cli;
  for (const std::string kind : {"entity", "note", "edge"}) {
    CHECK(cli.listed(kind, {"--where", "/born >= 1815"}) == "Ada,Grace");
    CHECK(cli.listed(kind, {"--where", "/born > 1815.0"}) == "Grace");
    CHECK(cli.listed(kind, {"--where", R"(/field = "mathematics")"}) == "Ada");
    CHECK(cli.listed(kind, {"--where", R"("/first name" exists)"}) == "Grace");
    CHECK(cli.listed(kind, {"--where", "/born exists", "--where", "/field absent"}) == "Grace");
    CHECK(cli.listed(kind, {"--where", "/born != 1815"}) == "Grace");
    CHECK(cli.listed(kind, {"--where", "/born = true"}).empty());
  }
}

TEST_CASE("lists of entities and notes are filtered by tags", "[cli]") {
  const People cli;
  for (const std::string kind : {"entity", "note"}) {
    CHECK(cli.listed(kind, {"--tag-any", "x", "--tag-any", "y"}) == "Ada,Grace");
    CHECK(cli.listed(kind, {"--tag-all", "x", "--tag-all", "y"}) == "Ada");
    CHECK(cli.listed(kind, {"--tag-any", "y", "--where", "/born > 1900"}) == "Grace");
    CHECK(cli.listed(kind, {"--tag-all", "[x]"}).empty());
  }
  CHECK(cli.run({"edge", "list", "--tag-any", "x"}).exit_code == 2);
}

TEST_CASE("notes are listed by the start of their key, in the order of keys", "[cli]") {
  const People cli;
  cli.run({"note", "create", "--kind", "x", "--content", "first", "--key", "k/A"});
  cli.run({"note", "create", "--kind", "x", "--content", "no key"});
  CHECK(cli.listed("note", {"--key-prefix", "k/"}) == "first,Ada,Grace,Nobody");
  CHECK(cli.listed("note", {"--key-prefix", "k/A", "--tag-all", "x"}) == "Ada");
  CHECK(cli.listed("note", {"--key-prefix", "j"}).empty());
  CHECK(cli.run({"entity", "list", "--key-prefix", "k"}).exit_code == 2);
}

TEST_CASE("the next page of a filtered list is asked for with the same filter", "[cli]") {
  const People cli;
  const Words words = {"entity", "list", "--where", "/born exists", "--limit", "1"};
  const auto page = cli.json(words).json();
  CHECK(page["left_out"] == 1);
  Words next = words;
  next.insert(next.end(), {"--cursor", page["next"]});
  const auto last = cli.json(next).json();
  CHECK(last["items"][0]["name"] == "Grace");
  CHECK(last["next"].is_null());
  const auto other =
      cli.json({"entity", "list", "--where", "/born absent", "--cursor", page["next"]});
  CHECK(other.exit_code == 5);
  CHECK(other.error()["field"] == "cursor");
}

TEST_CASE("a condition that cannot be read is refused by name, with the place", "[cli]") {
  const ReadyCli cli;
  const auto refused =
      cli.json({"note", "list", "--where", "/a exists", "--where", "/field = mathematics"});
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["field"] == "where[1]");
  CHECK(refused.error()["value"] == "/field = mathematics");
  CHECK(refused.error()["message"].get<std::string>().ends_with("see byte 10"));
  for (const std::string where : {"", "/a", "/a < true", "a = 1"}) {
    CHECK(cli.run({"edge", "list", "--where", where}).exit_code == 5);
  }
  CHECK(cli.run({"entity", "list", "--tag-any", ""}).exit_code == 5);
}

}  // namespace holdfast::test
