#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using Words = Cli::Words;

std::string revision_of(const nlohmann::json& row) {
  return row["revision"].dump();
}

}  // namespace

TEST_CASE("purge removes a deleted row for good, and once more is harmless", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string edge = cli.edge(ada, "knows", cli.entity("Bob"));
  const auto live = cli.json({"entity", "purge", ada});
  CHECK(live.exit_code == 4);
  CHECK(live.error()["outcome"] == "still_live");
  CHECK(live.error()["current"]["name"] == "Ada");
  cli.run({"entity", "delete", ada});
  const auto purged = cli.json({"entity", "purge", ada});
  REQUIRE(purged.exit_code == 0);
  CHECK(purged.json()["outcome"] == "applied");
  CHECK(purged.json()["current"].is_null());
  CHECK(purged.json()["edges"] == nlohmann::json({edge}));
  CHECK(cli.json({"entity", "purge", ada}).json()["outcome"] == "unchanged");
  CHECK(cli.run({"entity", "purge", ada}).out.find("was purged already") != std::string::npos);
  CHECK(cli.run({"entity", "get", ada}).exit_code == 3);
  CHECK(cli.run({"edge", "get", edge}).exit_code == 3);
  CHECK(cli.run({"verify"}).exit_code == 0);
}

TEST_CASE("edges and notes are purged too, and people see what went", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string edge = cli.edge(ada, "knows", cli.entity("Bob"));
  const std::string note = cli.json({"note", "create", "--kind", "x"}).json()["current"]["id"];
  for (const auto& [kind, id] :
       {std::pair<std::string, std::string>{"note", note}, {"edge", edge}}) {
    cli.run({kind, "delete", id});
    CHECK(cli.run({kind, "purge", id}).out == "purged " + kind + " " + id + "\n");
    CHECK(cli.run({kind, "purge", kNobody}).exit_code == 3);
  }
}

TEST_CASE("purge at a revision is refused when the row has moved", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const auto first = cli.json({"entity", "delete", ada}).json()["current"];
  cli.run({"entity", "restore", ada});
  const auto second = cli.json({"entity", "delete", ada}).json()["current"];
  const auto stale = cli.json({"entity", "purge", ada, "--revision", revision_of(first)});
  CHECK(stale.exit_code == 4);
  CHECK(stale.error()["outcome"] == "revision_moved");
  CHECK(cli.run({"entity", "purge", ada, "--revision", revision_of(second)}).exit_code == 0);
}

TEST_CASE("a purged id is never used again", "[cli]") {
  const ReadyCli cli;
  const Words create = {"entity", "create", "--id", kNobody, "--kind", "x", "--name", "y"};
  cli.run(create);
  cli.run({"entity", "delete", kNobody});
  cli.run({"entity", "purge", kNobody});
  const auto again = cli.json(create);
  CHECK(again.exit_code == 4);
  CHECK(again.error()["outcome"] == "purged");
}

TEST_CASE("rename changes the name alone, under guard when asked", "[cli]") {
  const ReadyCli cli;
  const std::string id =
      cli.json({"entity", "create", "--kind", "x", "--name", "Ada", "--tag", "t"})
          .json()["current"]["id"];
  const auto before = cli.json({"entity", "get", id}).json();
  const auto renamed = cli.json({"entity", "rename", id, "Ada Lovelace"});
  REQUIRE(renamed.exit_code == 0);
  CHECK(renamed.json()["current"]["name"] == "Ada Lovelace");
  CHECK(renamed.json()["current"]["tags"] == before["tags"]);
  CHECK(cli.json({"entity", "rename", id, "Ada Lovelace"}).json()["outcome"] == "unchanged");
  const auto stale = cli.json({"entity", "rename", id, "x", "--revision", revision_of(before)});
  CHECK(stale.exit_code == 4);
  CHECK(stale.error()["current"]["name"] == "Ada Lovelace");
  CHECK(cli.run({"entity", "rename", kNobody, "x"}).exit_code == 3);
  CHECK(cli.run({"entity", "rename", id, ""}).exit_code == 5);
  CHECK(cli.run({"entity", "rename", id}).exit_code == 2);
}

TEST_CASE("retarget moves an edge, and is refused when it is stale", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string bob = cli.entity("Bob");
  const std::string eve = cli.entity("Eve");
  const std::string id = cli.edge(ada, "knows", bob);
  const std::string old = revision_of(cli.json({"edge", "get", id}).json());
  const auto moved =
      cli.json({"edge", "retarget", id, "--target", eve, "--valid-to", "2030-01-01T00:00:00Z"});
  REQUIRE(moved.exit_code == 0);
  CHECK(moved.json()["outcome"] == "applied");
  CHECK(moved.json()["current"]["target"] == eve);
  CHECK(moved.json()["current"]["source"] == ada);
  CHECK(cli.json({"edge", "retarget", id, "--valid-to", "none"})
            .json()["current"]["valid_to"]
            .is_null());
  const auto stale = cli.json({"edge", "retarget", id, "--target", bob, "--revision", old});
  CHECK(stale.exit_code == 4);
  CHECK(stale.error()["outcome"] == "revision_moved");
  CHECK(stale.error()["current"]["target"] == eve);
  CHECK(cli.json({"edge", "retarget", id, "--target", eve}).json()["outcome"] == "unchanged");
  CHECK(cli.run({"edge", "retarget", id, "--target", kNobody}).exit_code == 3);
  CHECK(cli.run({"edge", "retarget", id, "--target", ada}).exit_code == 5);
  CHECK(cli.run({"edge", "retarget", kNobody, "--target", ada}).exit_code == 3);
  CHECK(cli.run({"edge", "retarget", id}).exit_code == 2);
}

TEST_CASE("an edge that is moved onto another is absorbed, and the survivor is shown", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string bob = cli.entity("Bob");
  const std::string survivor = cli.edge(ada, "knows", bob);
  const std::string id = cli.edge(ada, "likes", bob);
  const std::string other = cli.edge(ada, "loves", bob);
  const auto absorbed = cli.json({"edge", "retarget", id, "--relation", "knows"});
  REQUIRE(absorbed.exit_code == 0);
  CHECK(absorbed.json()["outcome"] == "absorbed");
  CHECK(absorbed.json()["current"]["id"] == survivor);
  CHECK_FALSE(cli.json({"edge", "get", id}).json()["deleted_at"].is_null());
  const auto text = cli.run({"edge", "retarget", other, "--relation", "knows"}).out;
  CHECK(text.starts_with("absorbed edge " + other));
  CHECK(text.find("edge " + survivor) != std::string::npos);
}

TEST_CASE("restoring an entity lists the edges that come, stay for another, and are kept out",
          "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada");
  const std::string bob = cli.entity("Bob");
  const std::string eve = cli.entity("Eve");
  const std::string back = cli.edge(ada, "knows", bob);
  const std::string waiting = cli.edge(ada, "knows", eve);
  cli.run({"relation", "declare", "is", "--loops"});
  const std::string loop = cli.edge(ada, "is", ada);
  cli.run({"entity", "delete", ada});
  cli.run({"entity", "delete", eve});
  cli.run({"relation", "declare", "is"});
  const auto restored = cli.json({"entity", "restore", ada});
  REQUIRE(restored.exit_code == 0);
  CHECK(restored.json()["edges"] == nlohmann::json({back}));
  CHECK(restored.json()["handed_over"] == nlohmann::json({waiting}));
  CHECK(restored.json()["kept_out"] == nlohmann::json({loop}));
  cli.run({"entity", "delete", ada});
  const auto text = cli.run({"entity", "restore", ada}).out;
  CHECK(text.find("restored with it: 1 edge\n    " + back) != std::string::npos);
}

TEST_CASE("get shows a row as it was at a sequence and at a time", "[cli]") {
  const ReadyCli cli;
  const auto first = cli.json({"entity", "create", "--kind", "x", "--name", "Ada"}).json();
  const std::string id = first["current"]["id"];
  cli.run({"entity", "update", id, "--name", "Augusta"});
  const auto name_at = [&](const std::string& when) {
    return cli.json({"entity", "get", id, "--as-of", when}).json()["name"].get<std::string>();
  };
  CHECK(name_at(first["seq"].dump()) == "Ada");
  CHECK(name_at(first["current"]["revision"].dump() + "us") == "Ada");
  CHECK(name_at("2100-01-01T00:00:00Z") == "Augusta");
  CHECK(cli.run({"entity", "get", id, "--as-of", "2"}).out.find("Ada") != std::string::npos);
  const auto before = cli.json({"entity", "get", id, "--as-of", "1"});
  CHECK(before.exit_code == 3);
  CHECK(before.error()["message"].get<std::string>().find("did not exist yet") !=
        std::string::npos);
  CHECK(cli.json({"entity", "get", id, "--as-of", "99"}).error()["field"] == "as_of");
  CHECK(cli.json({"entity", "get", id, "--as-of", "then"}).error()["field"] == "as_of");
  CHECK(cli.run({"note", "get", kNobody, "--as-of", "1"}).exit_code == 3);
}

TEST_CASE("a row that was purged is gone as it was, too", "[cli]") {
  const ReadyCli cli;
  const std::string id = cli.entity("Ada");
  cli.run({"entity", "delete", id});
  cli.run({"entity", "purge", id});
  const auto gone = cli.json({"entity", "get", id, "--as-of", "2"});
  CHECK(gone.exit_code == 3);
  CHECK(gone.error()["code"] == "gone");
}

TEST_CASE("a relation links only the kinds that it was declared for", "[cli]") {
  const ReadyCli cli;
  const std::string ada = cli.entity("Ada", "person");
  const std::string acme = cli.entity("Acme", "company");
  const auto declared = cli.json({"relation", "declare", "employs", "--source-kind", "company",
                                  "--target-kind", "person", "--target-kind", "robot"});
  REQUIRE(declared.exit_code == 0);
  CHECK(declared.json()["current"]["source_kinds"] == nlohmann::json({"company"}));
  CHECK(declared.json()["current"]["target_kinds"] == nlohmann::json({"person", "robot"}));
  const auto refused =
      cli.json({"edge", "create", "--source", ada, "--relation", "employs", "--target", acme});
  CHECK(refused.exit_code == 5);
  CHECK(refused.error()["outcome"] == "kind_refused");
  CHECK(cli.edge(acme, "employs", ada).size() == 36);
  const auto in_use = cli.json({"relation", "declare", "employs", "--source-kind", "person"});
  CHECK(in_use.exit_code == 4);
  const auto list = cli.run({"relation", "list"}).out;
  CHECK(list.find("person, robot") != std::string::npos);
}

TEST_CASE("relations are listed page by page", "[cli]") {
  const ReadyCli cli;
  for (const char* name : {"a", "b", "c"}) cli.run({"relation", "declare", name});
  const auto page = cli.json({"relation", "list", "--limit", "2"}).json();
  CHECK(page["items"].size() == 2);
  CHECK(page["left_out"] == 1);
  const auto rest = cli.json({"relation", "list", "--limit", "2", "--cursor", page["next"]});
  CHECK(rest.json()["items"][0]["relation"] == "c");
  CHECK(cli.json({"relation", "list", "--cursor", "x"}).error()["field"] == "cursor");
}

}  // namespace holdfast::test
