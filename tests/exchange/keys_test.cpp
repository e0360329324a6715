#include <map>

#include <holdfast/graph/key.h>

#include "support.h"

namespace holdfast::test {
namespace {

using exchange::ImportMode;
using exchange::JsonlOptions;
using exchange::OnConflict;
using namespace std::chrono_literals;

constexpr JsonlOptions kSkip{.mode = ImportMode::skip, .on_conflict = OnConflict::keep};
constexpr JsonlOptions kReplace{.mode = ImportMode::replace, .on_conflict = OnConflict::keep};
constexpr exchange::ExportOptions kHistory{.tombstones = true, .history = true};
const KeyDeclaration kEmail{.name = "email", .kind = "person", .path = "/email"};

Entity add(TestStore& store, const std::string& name, const std::string& email_json) {
  store.environment.clock.advance(1s);
  Entity row;
  row.kind = "person";
  row.name = name;
  row.properties = JsonObject::parse("properties", "{\"email\":" + email_json + "}");
  return store.space->entities().insert_if_absent(row).current.value();
}

void move(TestStore& store, EntityId id, const std::string& email_json) {
  store.environment.clock.advance(1s);
  const auto patch =
      JsonObject::parse("patch", "{\"properties\":{\"email\":" + email_json + "}}");
  REQUIRE(store.space->entities().patch(id, patch).applied());
}

/// A space without keys to export from, and one with a key to import into.
struct Keyed {
  Keyed() { CHECK(to.space->declare_key(kEmail).outcome == KeyOutcome::declared); }

  /// The error of importing all of `from`; the space must stay as it was.
  std::string refusal(const exchange::ExportOptions& options = {}) {
    const std::string before = picture(*to.store);
    const std::string error =
        error_of([&] { import_text(*to.store, exported(*from.store, options)); });
    CHECK(picture(*to.store) == before);
    CHECK(to.store->verify().is_clean());
    return error;
  }

  TestStore from;
  TestStore to{91};
};

}  // namespace

TEST_CASE("a line whose key an entity of the space has refuses the file, and is named",
          "[exchange][keys]") {
  Keyed f;
  const Entity holder = add(f.to, "Ann", "\"ann@x\"");
  add(f.from, "Bob", "\"bob@x\"");
  const Entity clashing = add(f.from, "Anne", "\"ann@x\"");
  const std::string error = f.refusal();
  CHECK(contains(error, "conflict: "));
  CHECK(contains(error, ":3: entity " + to_string(clashing.id)));
  CHECK(contains(error, to_string(holder.id) + " has its key email \"ann@x\""));
}

TEST_CASE("two lines with one key refuse the file, be the space empty", "[exchange][keys]") {
  Keyed f;
  add(f.from, "Ann", "\"ann@x\"");
  add(f.from, "Bob", "\"bob@x\"");
  add(f.from, "Anne", "\"ann@x\"");
  const std::string error = f.refusal();
  CHECK(contains(error, ":4: entity "));
  CHECK(contains(error, "the entity of line 2 has its key email \"ann@x\""));
}

TEST_CASE("a line with what cannot be a key refuses the file, and is named",
          "[exchange][keys]") {
  Keyed f;
  add(f.from, "Ann", "\"ann@x\"");
  add(f.from, "List", "[1]");
  const std::string error = f.refusal();
  CHECK(contains(error, "invalid_argument "));
  CHECK(contains(error, ":3:"));
  CHECK(contains(error, "key email: /email"));
}

TEST_CASE("skipping brings in all lines but those that a key refuses, and lists them",
          "[exchange][keys]") {
  Keyed f;
  const Entity holder = add(f.to, "Ann", "\"ann@x\"");
  const Entity clashing = add(f.from, "Anne", "\"ann@x\"");
  const Entity list = add(f.from, "List", "[1]");
  add(f.from, "Bob", "\"bob@x\"");
  const auto report = import_text(*f.to.store, exported(*f.from.store), kSkip);
  CHECK(report.entities.created == 1);
  CHECK(report.entities.skipped == 2);
  REQUIRE(report.kept_total == 2);
  std::map<std::string, std::string> why;
  for (const auto& row : report.kept) why[row.id] = row.why;
  CHECK(contains(why[to_string(clashing.id)], "has its key: " + to_string(holder.id)));
  CHECK(contains(why[to_string(list.id)], "key email: /email"));
  CHECK(f.to.space->find_by_key("email", "bob@x")->name == "Bob");
  CHECK(f.to.store->verify().is_clean());
}

TEST_CASE("a key that one line gives up is there for the line before it", "[exchange][keys]") {
  Keyed f;
  const Entity ann = add(f.from, "Ann", "\"a@x\"");
  const Entity bob = add(f.from, "Bob", "\"b@x\"");
  import_text(*f.to.store, exported(*f.from.store));
  move(f.from, bob.id, "\"c@x\"");
  move(f.from, ann.id, "\"b@x\"");
  f.to.environment.clock.advance(1h);
  const auto report = import_text(*f.to.store, exported(*f.from.store), kReplace);
  CHECK(report.entities.replaced == 2);
  CHECK(report.kept_total == 0);
  CHECK(f.to.space->find_by_key("email", "b@x")->id == ann.id);
  CHECK(f.to.space->find_by_key("email", "c@x")->id == bob.id);
  CHECK(f.to.store->verify().is_clean());
}

TEST_CASE("what is declared is not exported, and an import leaves it as it is",
          "[exchange][keys]") {
  Keyed f;
  add(f.to, "Ann", "\"ann@x\"");
  const std::string text = exported(*f.to.store);
  CHECK_FALSE(contains(text, "/email"));
  import_text(*f.from.store, text);
  CHECK(f.from.space->keys().empty());
  CHECK(exported(*f.from.store) == text);
  CHECK(f.to.space->keys().size() == 1);
}

TEST_CASE("a history that gives two live rows one key is taken back whole, its line named",
          "[exchange][keys]") {
  Keyed f;
  const Entity ann = add(f.from, "Ann", "\"ann@x\"");
  add(f.from, "Anne", "\"ann@x\"");
  move(f.from, ann.id, "\"other@x\"");  // too late
  const std::string error = f.refusal(kHistory);
  CHECK(contains(error, "invalid_argument "));
  CHECK(contains(error, ":3:"));
  CHECK(contains(error, to_string(ann.id) + " has it"));
}

TEST_CASE("a history fills the keys that the space has", "[exchange][keys]") {
  Keyed f;
  const Entity ann = add(f.from, "Ann", "\"ann@x\"");
  move(f.from, ann.id, "\"a@x\"");
  const Entity gone = add(f.from, "Gone", "\"ann@x\"");
  (void)f.from.space->entities().remove(gone.id);
  (void)f.from.space->entities().purge(gone.id);
  import_text(*f.to.store, exported(*f.from.store, kHistory));
  CHECK(f.to.space->find_by_key("email", "a@x")->id == ann.id);
  CHECK_FALSE(f.to.space->find_by_key("email", "ann@x").has_value());
  CHECK(f.to.store->verify().is_clean());
}

}  // namespace holdfast::test
