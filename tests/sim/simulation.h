#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <holdfast/space/store.h>

#include "sim/workload.h"
#include "support/crash_vfs.h"
#include "support/fixture.h"
#include "support/loop.h"
#include "support/marks.h"
#include "support/model.h"

namespace holdfast::test {

/// The store and the oracle gave different answers.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A space and what it must be like.
struct Place {
  Space space;
  ModelStore model;
};

/// One client: acts in one place, and remembers rows that it read there, maybe long ago.
struct Client {
  std::string name;
  Place* place = nullptr;
  std::uint64_t steps_left = 0;
  std::vector<Entity> entities;
  std::vector<Edge> edges;
  std::vector<Note> notes;
};

/// One run of random clients over a fresh store in memory, everything drawn from the seed. After
/// every call the store's answer and the rows it touched are compared with the oracle's, at the
/// end everything there is. Clients read in one step and write in a later one, and other clients
/// write between a call's own read and its write.
class Simulation {
 public:
  /// The marks must outlive the simulation. A log, when given, gets a line for each call.
  Simulation(std::uint64_t seed, Marks& marks, std::vector<std::string>* log = nullptr);

  /// Throws Mismatch.
  void run();
  std::uint64_t trace() const { return loop_.trace(); }
  /// Every row and every event of the store as text.
  std::string dump();

 private:
  template <class Row>
  using IdOf = decltype(Row::id);
  template <class Row>
  using Call = std::function<WriteResult<Row>()>;

  void arm_interruptions();
  void populate(Place& place);
  void spawn_clients(std::uint64_t count);
  void step(Client& client);
  void step_clock();
  void step_relations(Client& client);

  template <class Row>
  void act(Client& client);
  template <class Row>
  void read(Client& client);
  template <class Row>
  void insert(Client& client);
  template <class Row>
  void replace_primitive(Client& client);
  template <class Row>
  void replace(Client& client);
  template <class Row>
  void update(Client& client, IdOf<Row> id);
  template <class Row>
  void patch(Client& client, IdOf<Row> id);
  template <class Row>
  void remove(Client& client, IdOf<Row> id, const std::optional<Expected>& expected);
  template <class Row>
  void restore(Client& client, IdOf<Row> id, const std::optional<Expected>& expected);
  /// What an interrupting client does to the row that another is about to write.
  template <class Row>
  void interfere(Client& client, IdOf<Row> id);

  /// A row that the client remembers, if any; then, now and then, forgotten.
  template <class Row>
  std::optional<Row> recall(Client& client);
  /// Mostly of a row that is there.
  template <class Row>
  IdOf<Row> any_id(Place& place);

  /// Makes one call on the store and on the model and compares.
  template <class Row>
  void both(Client& client, const std::string& what, IdOf<Row> id, const Call<Row>& real,
            const Call<Row>& wanted);
  template <class Row>
  void compare_row(Place& place, IdOf<Row> id);
  template <class Row>
  void mark(const std::string& call, const std::optional<WriteResult<Row>>& result);
  void mark_row(const Entity& row, const std::string& call);
  void mark_row(const Edge& row, const std::string& call);
  void mark_row(const Note& row, const std::string& call);
  void log(Client& client, const std::string& line);

  Marks& marks_;
  std::vector<std::string>* log_;
  Loop loop_;
  TestEnvironment environment_;
  Workload workload_;
  TempDir lock_dir_;
  CrashDisk disk_;
  std::unique_ptr<Store> store_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::function<void()> interruption_;  ///< what may come between the call's read and its write
  bool is_interrupting_ = false;
};

/// Throws Mismatch unless the store holds exactly what the model says, in every reading of it.
void compare_everything(Store& store, Place& place, Workload& workload);

/// The rows of a collection under `filter`, in pages of `limit`; checks that each page says how
/// many it left out.
template <class Collection>
auto read_pages(const Collection& collection, const typename Collection::Filter& filter,
                std::size_t limit) {
  std::vector<typename Collection::Row> rows;
  const auto total = collection.count(filter);
  PageRequest request{.limit = limit, .cursor = {}};
  for (;;) {
    auto page = collection.list(filter, request);
    for (auto& row : page.items) rows.push_back(std::move(row));
    if (rows.size() + page.left_out != total) throw Mismatch("a page miscounts what it left out");
    if (!page.next) return rows;
    request.cursor = *page.next;
  }
}

}  // namespace holdfast::test
