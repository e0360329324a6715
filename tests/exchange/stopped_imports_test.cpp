#include <stdexcept>

#include "support.h"

namespace holdfast::test {
namespace {

struct Killed {};

/// 4,500 rows: transactions enough to be stopped between.
struct Large {
  Large() {
    std::vector<Entity> entities;
    from.space->write([&](journal::Appender& appender) {
      entities.clear();
      for (int i = 0; i < 1500; ++i) {
        Entity entity;
        entity.id = {from.environment.ids->next()};
        entity.kind = "person";
        entity.name = "e" + std::to_string(i);
        entity.created_at = appender.now();
        entity.revision = first_revision(appender.now());
        (void)graph::EntityStore::insert_if_absent(appender, entity);
        entities.push_back(entity);
      }
      for (int i = 0; i < 1500; ++i) {
        Edge edge;
        edge.id = {from.environment.ids->next()};
        edge.source = entities[static_cast<std::size_t>(i)].id;
        edge.relation = "next";
        edge.target = entities[static_cast<std::size_t>((i + 1) % 1500)].id;
        edge.created_at = appender.now();
        edge.revision = first_revision(appender.now());
        (void)graph::EdgeStore::insert_if_absent(appender, edge);
        Note note;
        note.id = {from.environment.ids->next()};
        note.kind = "n";
        note.key = "k" + std::to_string(i);
        note.about = edge.source;
        note.created_at = appender.now();
        note.revision = first_revision(appender.now());
        (void)from.space->note_store().insert_if_absent(appender, note);
      }
    });
    SpaceSettings settings;
    settings.rows_max = 100;
    (void)from.space->configure(settings);
    text = exported(*from.store);
  }
  TestStore from;
  std::string text;
};

}  // namespace

TEST_CASE("an import that is stopped goes on where it was", "[exchange]") {
  Large f;
  TestStore to(41);
  std::uint64_t created = 0;
  for (int runs = 0; runs < 20; ++runs) {
    const auto report = import_text(*to.store, f.text, {}, [](const auto&) { return false; });
    created += report.entities.created + report.notes.created + report.edges.created;
    if (report.complete) break;
    CHECK(to.store->verify().is_clean());
  }
  const auto last = import_text(*to.store, f.text);
  created += last.entities.created + last.notes.created + last.edges.created;
  CHECK(created == 4500);
  CHECK(exported(*to.store) == f.text);
  CHECK(import_text(*to.store, f.text).changed_nothing());
}

TEST_CASE("a process that dies between two transactions of an import leaves a store that opens, "
          "and the import goes on",
          "[exchange][B8]") {
  Large f;
  const std::uint64_t at = GENERATE(0, 1000, 1500, 2500, 3000, 4000);
  TestStore to(42);
  CHECK_THROWS_AS(import_text(*to.store, f.text, {},
                              [&](const auto& now) {
                                if (now.done > at) throw Killed{};
                                return true;
                              }),
                  Killed);
  to.reopen();
  CHECK(to.store->verify().is_clean());
  const auto report = import_text(*to.store, f.text);
  CHECK(report.complete);
  CHECK(exported(*to.store) == f.text);
  CHECK(to.store->verify().is_clean());
}

TEST_CASE("a transaction of an import that fails leaves nothing of itself", "[exchange][B8]") {
  Large f;
  TestStore to(43);
  int commits = 0;
  to.environment.faults.arm([&](std::string_view point) {
    if (point == "writer.before_commit" && ++commits == 3) throw std::runtime_error("died");
  });
  try {
    import_text(*to.store, f.text);
  } catch (const std::exception&) {
  }
  to.environment.faults.arm({});
  to.reopen();
  CHECK(to.store->verify().is_clean());
  CHECK(to.space->entities().count({}) % 500 == 0);
  import_text(*to.store, f.text);
  CHECK(exported(*to.store) == f.text);
}

TEST_CASE("progress counts every row of the file once", "[exchange]") {
  Large f;
  TestStore to(44);
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  import_text(*to.store, f.text, {}, [&](const exchange::ImportProgress& now) {
    CHECK(now.done > last);
    CHECK(now.done - last <= 1000);
    last = now.done;
    total = now.total;
    return true;
  });
  CHECK(last == 4500);
  CHECK(total == 4500);
}

}  // namespace holdfast::test
