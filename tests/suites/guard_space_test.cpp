#include <holdfast/journal/space_store.h>

#include "suites/guard_fixture.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

struct SpaceRowWithEquality : SpaceRow {
  SpaceRowWithEquality() = default;
  SpaceRowWithEquality(SpaceRow row) : SpaceRow(std::move(row)) {}
  bool operator==(const SpaceRowWithEquality& other) const {
    return id == other.id && settings == other.settings && created_at == other.created_at &&
           revision == other.revision && deleted_at == other.deleted_at && seq == other.seq;
  }
};

/// The space's own row: there is one of them in each space, and the handle names it.
struct SpaceKind {
  using Row = SpaceRowWithEquality;
  static Row add(TestStore& store, const Space& space, const std::string&) {
    const auto snapshot = store.store->database().snapshot();
    return journal::SpaceStore::find(snapshot->transaction(), space.name()).value();
  }
  static void edit(Row& row) {
    row.settings = JsonObject::parse("settings", R"({"relations":"declared"})");
  }
  static WriteResult<Row> replace(const Space& space, const Row& write, const Expected& read) {
    WriteResult<Row> result;
    space.write([&](journal::Appender& appender) {
      const auto answer = journal::SpaceStore::replace_if_unchanged(appender, write, read);
      result.outcome = answer.outcome;
      result.seq = answer.seq;
      if (answer.current) result.current = *answer.current;
    });
    return result;
  }
  static std::optional<Row> find(const Space& space, const Row& row) {
    std::optional<Row> found;
    space.write([&](journal::Appender& appender) {
      auto there = journal::SpaceStore::find(appender.transaction(), space.name());
      if (there && there->id == row.id) found = std::move(*there);
    });
    return found;
  }
};

}  // namespace

TEST_CASE("replacing a space's settings is refused when only the space is another",
          "[guard][guard:space.replace.space]") {
  refuses_a_row_of_another_space<SpaceKind>();
}

TEST_CASE("replacing a space's settings is refused when only the id is another",
          "[guard][guard:space.replace.id]") {
  ReplaceGuard<SpaceKind> guard;
  refuses_an_unknown_id(guard);
}

TEST_CASE("replacing a space's settings is refused when only the revision has moved",
          "[guard][guard:space.replace.revision]") {
  refuses_a_moved_revision<SpaceKind>();
}

TEST_CASE("replacing a space's settings is refused when only the deletion mark has changed",
          "[guard][guard:space.replace.deletion]") {
  refuses_a_changed_deletion_mark<SpaceKind>();
}

TEST_CASE("replacing a space's settings is refused when only its revision does not advance",
          "[guard][guard:space.replace.advance]") {
  refuses_a_revision_that_does_not_advance<SpaceKind>();
}

TEST_CASE("replacing a space's settings is an error when only its time of creation differs",
          "[guard][guard:space.replace.created_at]") {
  refuses_another_time_of_creation<SpaceKind>();
}
