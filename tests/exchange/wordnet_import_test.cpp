#include <holdfast/exchange/wordnet.h>

#include "support.h"

namespace holdfast::test {
namespace {

using exchange::OnConflict;

/// A whole WordNet of five synsets.
struct SmallWordNet {
  SmallWordNet() {
    write("breath", "air drawn in");
    files.write("data.verb",
                "00000200 29 v 02 breathe 0 take_a_breath 0 001 + 00000100 n 0101 "
                "02 + 02 00 + 08 01 | draw air  \n");
    files.write("data.adj",
                "00000300 00 a 02 able(p) 0 well_able 0 000 | having means  \n"
                "00000400 00 s 01 ready(ip) 0 001 & 00000300 a 0000 | prepared  \n");
    files.write("data.adv",
                "00000500 02 r 01 ably 0 001 \\ 00000300 s 0101 | with ability  \n");
  }
  void write(const std::string& word, const std::string& gloss) const {
    files.write("data.noun", "  1 A licence.  \n00000100 04 n 01 " + word +
                                 " 0 001 + 00000200 v 0101 | " + gloss + "  \n");
  }
  exchange::WordNetReport import(OnConflict on_conflict = OnConflict::keep) {
    return exchange::import_wordnet(store.store->space("main", exchange::kWordNetActor),
                                    files.path(""), {.on_conflict = on_conflict});
  }
  Entity breath() const {
    EntityFilter filter;
    filter.name = "breath";
    return store.space->entities().list(filter).items.at(0);
  }
  Files files;
  TestStore store{71};
};

}  // namespace

TEST_CASE("WordNet comes in once, and a second run changes nothing", "[exchange]") {
  SmallWordNet f;
  const auto first = f.import();
  CHECK(first.entities.created == 5);
  CHECK(first.notes.created == 5);
  CHECK(first.edges.created == 3);
  CHECK(f.store.store->verify().is_clean());
  const std::string before = picture(*f.store.store);
  const auto second = f.import();
  CHECK(second.changed_nothing());
  CHECK(second.entities.existing == 5);
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a WordNet that has changed brings rows nobody has touched up to date", "[exchange]") {
  SmallWordNet f;
  f.import();
  const EntityId id = f.breath().id;
  f.write("breathing", "air drawn in and out");
  const auto report = f.import();
  CHECK(report.entities.replaced == 1);
  CHECK(report.notes.replaced == 1);
  CHECK(report.edges.replaced == 1);
  CHECK(f.store.space->entities().get(id).name == "breathing");
  CHECK(f.store.store->verify().is_clean());
}

TEST_CASE("a WordNet row that somebody has written stays, is reported, or ends the import",
          "[exchange]") {
  SmallWordNet f;
  f.import();
  const Entity breath = f.breath();
  (void)f.store.space->entities().patch(breath.id,
                                        JsonObject::parse("p", R"({"tags":["mine"]})"));
  const std::string before = picture(*f.store.store);
  CHECK(contains(error_of([&] { f.import(OnConflict::fail); }),
                 "conflict: entity " + to_string(breath.id) + ": was written by tester"));
  CHECK(picture(*f.store.store) == before);
  const auto report = f.import();
  CHECK(report.entities.kept == 1);
  CHECK(report.changed_nothing());
  CHECK(report.kept.at(0).id == to_string(breath.id));
  CHECK(picture(*f.store.store) == before);
}

TEST_CASE("a gloss that somebody has deleted stays deleted", "[exchange]") {
  SmallWordNet f;
  f.import();
  const Note note = f.store.space->notes().list({}).items.at(0);
  (void)f.store.space->notes().remove(note.id);
  CHECK(f.import().notes.kept == 1);
  CHECK(f.store.space->notes().get(note.id).deleted_at);
}

}  // namespace holdfast::test
