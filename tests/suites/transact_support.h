#pragma once

#include <functional>

#include "suites/plan_support.h"
#include "suites/support.h"

namespace holdfast::test {

inline Note keyed(const std::string& key) {
  Note note;
  note.kind = "status";
  note.key = key;
  note.content = key;
  return note;
}

/// The same people, of whom the second knows the third too.
struct Transacted : People {
  Transacted() {
    other_edge = store.add_edge(bob.id, "knows", eve.id);
    pass_time(store);
  }
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

  Edge other_edge;
};

}  // namespace holdfast::test
