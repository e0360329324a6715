#include <holdfast/core/error.h>

#include "suites/transact_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

using Story = Transacted;

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TEST_CASE("a function that throws runs again only when what it read has moved", "[transact]") {
  Story f;
  int runs = 0;
  const auto failing = [&](bool is_disturbed) {
    runs = 0;
    return [&f, &runs, is_disturbed](Transaction& t) {
      t.get(f.ada.id);
      t.create(person("never"));
      if (++runs == 1 && is_disturbed) f.edit(f.ada.id);
      throw Failed("run " + std::to_string(runs));
    };
  };
  CHECK_THROWS_WITH(f.space().transact(failing(false)), "run 1");
  CHECK_THROWS_WITH(f.space().transact(failing(true)), "run 2");
  CHECK(f.space().entities().count({}) == 3);
}

TEST_CASE("a function that throws for what it saw through its own changes runs again",
          "[transact]") {
  Story f;
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    t.create(person("mine"));
    const auto seen = t.count(EntityFilter{});
    if (++runs == 1) {
      f.store.add_entity("other");
      throw Failed("too few: " + std::to_string(seen));
    }
  });
  CHECK(result.applied());
  CHECK(runs == 2);
}

TEST_CASE("spent attempts end in an error that lists all that had moved", "[transact]") {
  Story f;
  int runs = 0;
  try {
    (void)f.space().transact(
        [&](Transaction& t) {
          ++runs;
          t.get(f.ada.id);
          t.neighbors(f.eve.id);
          t.list(NoteFilter{});
          t.get(f.knows.id);
          t.create(person("never"));
          f.edit(f.ada.id);
          f.store.add_edge(f.eve.id, "likes" + std::to_string(runs), f.ada.id);
          f.store.add_note("more");
        },
        {.attempts_max = 3});
    FAIL("it was applied");
  } catch (const TransactConflict& error) {
    CHECK(runs == 3);
    REQUIRE(error.moved().size() == 3);
    CHECK(error.moved()[0].what == "expect_unchanged entity " + to_string(f.ada.id));
    CHECK(error.moved()[0].outcome == Outcome::revision_moved);
    CHECK(std::get<Entity>(error.moved()[0].current).name == "Ada, edited, edited, edited");
    CHECK(error.moved()[1].what == "expect_neighborhood entity " + to_string(f.eve.id));
    CHECK(error.moved()[1].outcome == Outcome::neighborhood_moved);
    CHECK(error.moved()[2].what.starts_with(R"(expect_list {"kind":"note","filter":{"live_at":)"));
    CHECK(error.moved()[2].outcome == Outcome::list_moved);
    CHECK(std::string(error.what()).find(error.moved()[2].what) != std::string::npos);
    CHECK(std::string(error.code()) == "conflict");
  }
  CHECK(f.space().entities().count({}) == 3);
}

TEST_CASE("a change that a rule forbids is the answer, and nothing is written", "[transact]") {
  Story f;
  written(f.space().notes().insert_if_absent(keyed("status")));
  const std::string before = picture(*f.store.store);
  int runs = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.get(f.ada.id);
    t.create(person("Cy"));
    t.create(keyed("status"));
  });
  CHECK(result.outcome == PlanOutcome::refused);
  CHECK(outcomes(result) == std::vector<std::string>{"held", "key_taken"});
  CHECK(std::get<Note>(result.steps[1].current).key == "status");
  CHECK(runs == 1);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a read through a change that cannot be made ends the run with its refusal",
          "[transact]") {
  Story f;
  written(f.space().notes().insert_if_absent(keyed("status")));
  int runs = 0;
  bool went_on = false;
  const auto result = f.space().transact([&](Transaction& t) {
    ++runs;
    t.create(keyed("status"));
    t.count(NoteFilter{});
    went_on = true;
  });
  CHECK(result.outcome == PlanOutcome::refused);
  CHECK(outcomes(result) == std::vector<std::string>{"key_taken"});
  CHECK(runs == 1);
  CHECK_FALSE(went_on);
}

TEST_CASE("a request that was applied is answered without running the function", "[transact]") {
  Story f;
  int runs = 0;
  const auto ask = [&] {
    return f.space().transact(
        [&](Transaction& t) {
          ++runs;
          t.get(f.ada.id);
          t.create(person("Cy"));
          t.update(f.bob.id, [](Entity& row) { row.name = "Robert"; });
        },
        {.request_id = "once"});
  };
  const auto first = ask();
  const auto again = ask();
  CHECK(first.applied());
  CHECK(again.repeated);
  CHECK(again.request_id == "once");
  CHECK(outcomes(again) == outcomes(first));
  CHECK((again.steps[0].current == first.steps[0].current));
  CHECK(runs == 1);
  CHECK(f.space().entities().count({}) == 4);
  Plan other = f.space().plan();
  other.create(person("Dee"));
  CHECK_THROWS_AS(f.space().apply(other, {.request_id = "once"}), InvalidArgument);
}

TEST_CASE("a function that fails because its request has just landed elsewhere gets that answer",
          "[transact]") {
  Story f;
  const auto other = f.store.open_another();
  const Space elsewhere = other->space("main", "other");
  const TransactOptions once{.request_id = "once"};
  const auto result = f.space().transact(
      [&](Transaction&) {
        const auto landed =
            elsewhere.transact([](Transaction& t) { t.create(person("Cy")); }, once);
        CHECK(landed.applied());
        throw Failed("Cy is there already");
      },
      once);
  CHECK(result.repeated);
  CHECK(std::get<Entity>(result.steps.at(0).current).name == "Cy");
}

TEST_CASE("reads that contradict each other in every attempt are listed", "[transact]") {
  Story f;
  try {
    (void)f.space().transact(
        [&](Transaction& t) {
          t.get(f.ada.id);
          f.edit(f.ada.id);
          t.get(f.ada.id);
        },
        {.attempts_max = 2});
    FAIL("it was applied");
  } catch (const TransactConflict& error) {
    REQUIRE(error.moved().size() == 1);
    CHECK(error.moved()[0].what == "expect_unchanged entity " + to_string(f.ada.id));
  }
}

TEST_CASE("an error in a change comes out unless what it rests on has moved", "[transact]") {
  Story f;
  int runs = 0;
  const auto clear_name = [&](bool is_disturbed) {
    return [&f, &runs, is_disturbed](Transaction& t) {
      const bool is_first = ++runs == 1;
      const Entity ada = t.get(f.ada.id);
      if (is_first && is_disturbed) f.edit(f.ada.id);
      const char* patch = is_disturbed && !is_first ? R"({"name":"A"})" : R"({"name":null})";
      t.patch(ada.id, JsonObject::parse("patch", patch));
    };
  };
  CHECK(refusal_of([&] { (void)f.space().transact(clear_name(false)); })
            .starts_with("steps[0] patch: name: "));
  CHECK(runs == 1);
  runs = 0;
  CHECK(f.space().transact(clear_name(true)).applied());
  CHECK(runs == 2);
}

TEST_CASE("nothing is locked while a transaction thinks", "[transact]") {
  Story f;
  const auto other = f.store.open_another();
  const Space elsewhere = other->space("main", "other");
  const auto result = f.space().transact([&](Transaction& t) {
    t.get(f.ada.id);
    t.list(EntityFilter{});
    t.create(person("Cy"));
    t.count(EntityFilter{});
    CHECK(f.store.store->database().oldest_reader() == 0us);
    written(elsewhere.notes().insert_if_absent(keyed("from elsewhere")));
  });
  CHECK(result.applied());
  CHECK(f.space().find_note("from elsewhere").has_value());
}

TEST_CASE("the limit of reads and changes is told by its name", "[transact]") {
  Story f;
  CHECK(refusal_of([&] {
          (void)f.space().transact([&](Transaction& t) {
            for (int i = 0; i < 10'000; ++i) t.patch(f.ada.id, JsonObject{});
            t.get(f.bob.id);
          });
        }) == "transaction: have at most 10000");
}

TEST_CASE("A5: a consolidation that thinks for minutes keeps what was added meanwhile",
          "[transact][A5]") {
  Story f;
  int thoughts = 0;
  const auto result = f.space().transact([&](Transaction& t) {
    std::string summary;
    for (const Note& note : t.list(NoteFilter{}).items) summary += note.content + "; ";
    f.store.environment.clock.advance(120s);
    if (++thoughts == 1) f.store.add_note("added meanwhile", f.ada.id);
    Note whole = keyed("summary");
    whole.content = summary;
    t.create(whole);
    t.remove(f.note.id);
  });
  REQUIRE(result.applied());
  CHECK(thoughts == 2);
  CHECK(f.space().find_note("summary")->content == "writes programs; added meanwhile; ");
  CHECK(f.space().notes().count({}) == 2);
}

TEST_CASE("a transaction without a function or an attempt is an error", "[transact]") {
  Story f;
  CHECK_THROWS_AS(f.space().transact(nullptr), InvalidArgument);
  CHECK_THROWS_AS(f.space().transact([](Transaction&) {}, {.attempts_max = 0}), InvalidArgument);
  CHECK_THROWS_AS(f.space().entities().update(f.ada.id, [](Entity&) {}, {.attempts_max = 0}),
                  InvalidArgument);
}

TEST_CASE("a row is not changed from within its own update, which would lose the change",
          "[transact]") {
  Story f;
  CHECK_THROWS_AS(f.space().transact([&](Transaction& t) {
    t.update(f.ada.id, [&](Entity& row) {
      row.name = "outer";
      t.update(f.ada.id, [](Entity& inner) { inner.name = "inner"; });
    });
  }),
                  InvalidArgument);
  CHECK(f.space().entities().get(f.ada.id).name == "Ada");
}
