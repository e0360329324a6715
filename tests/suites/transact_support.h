#pragma once

#include <functional>

#include "suites/plan_support.h"
#include "suites/support.h"

namespace holdfast::test {

inline Entity person(const std::string& name) {
  Entity entity;
  entity.kind = "person";
  entity.name = name;
  return entity;
}

/// Three people, of whom the first knows the second, and a note about the first.
struct Transacted {
  Transacted() {
    ada = store.add_entity("Ada");
    pass_time(store);
    bob = store.add_entity("Bob");
    pass_time(store);
    eve = store.add_entity("Eve");
    pass_time(store);
    knows = store.add_edge(ada.id, "knows", bob.id);
    other_edge = store.add_edge(bob.id, "knows", eve.id);
    note = store.add_note("writes programs", ada.id);
    pass_time(store);
  }
  const Space& space() const { return *store.space; }
  void edit(EntityId id) const {
    written(space().entities().update(id, [](Entity& row) { row.name += ", edited"; }));
  }

  /// A transaction that reads, while somebody else writes, must run twice and land; without the
  /// other's write it runs once. Each on a copy of the world that then is as `Transacted` made it.
  static void require_reads(const std::function<void(Transacted&, Transaction&)>& read,
                            const std::function<void(Transacted&)>& write) {
    for (const bool is_disturbed : {false, true}) {
      Transacted f;
      int runs = 0;
      const auto result = f.space().transact([&](Transaction& t) {
        read(f, t);
        if (++runs == 1 && is_disturbed) write(f);
        t.create(person("made"));
      });
      CHECK(result.applied());
      CHECK(runs == (is_disturbed ? 2 : 1));
    }
  }
  /// The same in this world, which the other's write changes.
  void require_conflict(const std::function<void(Transaction&)>& read,
                        const std::function<void()>& write) const {
    int runs = 0;
    const auto result = space().transact([&](Transaction& t) {
      ++runs;
      read(t);
      t.create(person("undisturbed"));
    });
    CHECK(result.applied());
    CHECK(runs == 1);
    runs = 0;
    const auto again = space().transact([&](Transaction& t) {
      try {
        read(t);
      } catch (const NotFound&) {
      }
      if (++runs == 1) write();
      t.create(person("disturbed"));
    });
    CHECK(again.applied());
    CHECK(runs == 2);
  }

  TestStore store;
  Entity ada, bob, eve;
  Edge knows, other_edge;
  Note note;
};

}  // namespace holdfast::test
