#include <holdfast/core/error.h>

#include "suites/transact_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Story = Transacted;

/// Undoes what a transaction did not decide to do.
struct Undecided : std::runtime_error {
  Undecided() : std::runtime_error("undecided") {}
};

/// Runs `use` in a transaction that is then given up.
void within(const Story& f, const std::function<void(Transaction&)>& use) {
  const std::string before = picture(*f.store.store);
  bool was_there = false;
  CHECK_THROWS_AS(f.space().transact([&](Transaction& t) {
    use(t);
    was_there = true;
    throw Undecided();
  }),
                  Undecided);
  CHECK(was_there);
  CHECK(picture(*f.store.store) == before);
}

}  // namespace

TEST_CASE("a transaction sees the rows it has made, changed and deleted", "[transact][own]") {
  Story f;
  within(f, [&](Transaction& t) {
    const EntityId cy = t.create(person("Cy"));
    CHECK(t.get(cy).name == "Cy");
    t.update(cy, [](Entity& row) { row.name = "Cyrus"; });
    CHECK(t.get(cy).name == "Cyrus");
    t.patch(f.bob.id, JsonObject::parse("patch", R"({"name":"Robert"})"));
    CHECK(t.get(f.bob.id).name == "Robert");
    CHECK(t.get(f.bob.id).kind == "person");
    t.remove(f.note.id);
    CHECK(t.get(f.note.id).deleted_at.has_value());
    t.restore(f.note.id);
    CHECK_FALSE(t.get(f.note.id).deleted_at.has_value());
    Entity whole = t.get(f.eve.id);
    whole.name = "Eva";
    t.replace(whole);
    CHECK(t.get(f.eve.id).name == "Eva");
  });
}

TEST_CASE("a transaction sees the edges that it takes along with an entity", "[transact][own]") {
  Story f;
  within(f, [&](Transaction& t) {
    t.remove(f.ada.id);
    CHECK(t.get(f.knows.id).deleted_with == f.ada.id);
    CHECK(t.get(f.note.id).about_is_deleted);
    CHECK(t.neighbors(f.bob.id).items.size() == 1);
    CHECK(t.count(EdgeFilter{}) == 1);
    t.restore(f.ada.id);
    CHECK_FALSE(t.get(f.knows.id).deleted_at.has_value());
    t.update(f.knows.id, [](Edge& row) { row.weight = 7; });
    CHECK(t.get(f.knows.id).weight == 7);
    CHECK(t.neighbors(f.bob.id).items.size() == 2);
  });
}

TEST_CASE("a transaction sees its changes in pages, counts, keys and neighbourhoods",
          "[transact][own]") {
  Story f;
  within(f, [&](Transaction& t) {
    const EntityId cy = t.create(person("Cy"));
    CHECK(t.count(EntityFilter{}) == 4);
    CHECK(t.list(EntityFilter{}).items.size() == 4);
    t.create(edge_between(f.ada.id, "likes", cy));
    CHECK(t.neighbors(f.ada.id).items.size() == 2);
    CHECK(t.neighbors(cy).items.size() == 1);
    CHECK(t.list(EdgeFilter{}).items.size() == 3);
    CHECK_FALSE(t.find_note("status").has_value());
    const NoteId note = t.create(keyed("status"));
    CHECK(t.find_note("status")->id == note);
    CHECK(t.count(NoteFilter{}) == 2);
    t.retarget(f.knows.id, {.target = f.eve.id});
    CHECK(t.get(f.knows.id).target == f.eve.id);
    CHECK(t.neighbors(f.bob.id).items.size() == 1);
  });
}

TEST_CASE("a transaction finds its own rows by declared keys", "[transact][own]") {
  Story f;
  CHECK(f.space().declare_key({.name = "name", .kind = {}, .path = "name"}).outcome ==
        KeyOutcome::declared);
  within(f, [&](Transaction& t) {
    const EntityId cy = t.create(person("Cy"));
    CHECK(t.find_by_key("name", "Cy")->id == cy);
    t.update(f.ada.id, [](Entity& row) { row.name = "Augusta"; });
    CHECK_FALSE(t.find_by_key("name", "Ada").has_value());
    CHECK(t.find_by_key("name", "Augusta")->id == f.ada.id);
  });
}

TEST_CASE("an insert that finds its row there is seen as what is there", "[transact][own]") {
  Story f;
  within(f, [&](Transaction& t) {
    Entity again = person("another Ada");
    again.id = f.ada.id;
    t.insert_if_absent(again);
    CHECK(t.get(f.ada.id).name == "Ada");
  });
}

TEST_CASE("what was seen through own changes is rested on", "[transact][own]") {
  using Read = std::function<void(Story&, Transaction&)>;
  const auto own_first = [](const Read& read) -> Read {
    return [read](Story& f, Transaction& t) {
      t.patch(f.bob.id, JsonObject::parse("patch", R"({"tags":["mine"]})"));
      t.create(edge_between(f.eve.id, "likes", f.ada.id));
      Note mine;
      mine.kind = "mine";
      t.create(mine);
      read(f, t);
    };
  };
  const auto renames_bob = [](Story& f) { f.edit(f.bob.id); };
  Story::require_reads(own_first([](Story& f, Transaction& t) { t.get(f.bob.id); }), renames_bob);
  Story::require_reads(own_first([](Story&, Transaction& t) { t.list(EntityFilter{}); }),
                       renames_bob);
  Story::require_reads(own_first([](Story& f, Transaction& t) { t.neighbors(f.ada.id); }),
                       renames_bob);
  Story::require_reads(own_first([](Story& f, Transaction& t) { t.neighbors(f.ada.id); }),
                       [](Story& f) { written(f.space().edges().remove(f.knows.id)); });
  Story::require_reads(own_first([](Story&, Transaction& t) { t.count(EdgeFilter{}); }),
                       [](Story& f) { written(f.space().edges().remove(f.knows.id)); });
  Story::require_reads(own_first([](Story&, Transaction& t) { t.find_note("status"); }),
                       [](Story& f) {
                         written(f.space().notes().insert_if_absent(keyed("status")));
                       });
}

TEST_CASE("time that passes after a look at own rows is no change of theirs", "[transact][own]") {
  Story f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.patch(f.bob.id, JsonObject::parse("patch", R"({"tags":["mine"]})"));
    t.remove(f.note.id);
    t.create(person("Cy"));
    t.get(f.bob.id);
    t.get(f.note.id);
    t.list(EntityFilter{});
    f.store.environment.clock.advance(60s);
  });
  CHECK(result.applied());
  CHECK(runs == 1);
}

TEST_CASE("rows that come into a page because of own deletions are rested on", "[transact][own]") {
  Story::require_reads(
      [](Story& f, Transaction& t) {
        t.remove(f.ada.id);
        const auto page = t.list(EntityFilter{}, {.limit = 2, .cursor = {}});
        CHECK(ids_of(page.items) == std::vector<EntityId>{f.bob.id, f.eve.id});
      },
      [](Story& f) { f.edit(f.eve.id); });
}

TEST_CASE("a count through a deletion that read nothing rests on the row deleted",
          "[transact][own]") {
  // One row deleted and one made by somebody else: the count without the own deletion is the same.
  Story::require_reads(
      [](Story& f, Transaction& t) {
        t.remove(f.eve.id);
        t.count(EntityFilter{});
      },
      [](Story& f) {
        written(f.space().entities().remove(f.eve.id));
        f.store.add_entity("in its place");
      });
}

TEST_CASE("only what own changes may have touched is read through them", "[transact][own]") {
  Story f;
  std::uint64_t turns = 0;
  f.store.environment.faults.arm([&](std::string_view point) {
    if (point == "plan.between_look_and_write") ++turns;
  });
  within(f, [&](Transaction& t) {
    t.patch(f.bob.id, JsonObject::parse("patch", R"({"tags":["mine"]})"));
    t.get(f.ada.id);
    t.get(f.knows.id);
    t.get(f.note.id);
    t.list(NoteFilter{});
    t.list(EdgeFilter{});
    CHECK(turns == 0);
    t.get(f.bob.id);
    CHECK(turns == 1);
  });
  f.store.environment.faults.arm({});
}
