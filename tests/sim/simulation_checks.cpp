#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>

#include "sim/kinds.h"
#include "sim/simulation.h"

namespace holdfast::test {
namespace {

/// Reads one place in every way there is and compares with the model.
class Comparison {
 public:
  Comparison(Store& store, Place& place, Workload& workload)
      : store_(store), place_(place), workload_(workload) {}

  void run() {
    entities();
    edges();
    notes();
    for (const EntityId id : workload_.ids<Entity>()) neighborhood(id);
    for (const std::string& key : workload_.keys()) {
      expect(place_.space.find_note(key) == place_.model.find_note(key), "note of key " + key);
    }
    expect(place_.space.relations().items == place_.model.relations(), "relations");
    journal();
  }

 private:
  void expect(bool is_so, const std::string& what) {
    if (!is_so) throw Mismatch(place_.space.name() + ": " + what + " differs");
  }

  template <class Filter>
  void compare(Filter filter, const std::string& what) {
    using Row = typename decltype(place_.model.list(filter))::value_type;
    filter.deleted = workload_.pick(deleted_);
    const auto wanted = place_.model.list(filter);
    const auto limit = static_cast<std::size_t>(1 + workload_.below(3));
    expect(read_pages(collection<Row>(place_.space), filter, limit) == wanted, what);
    expect(collection<Row>(place_.space).count(filter) == wanted.size(), what + ", counted");
  }

  template <class Row>
  RowFilter everything() {
    return {.created = {}, .changed = {}, .deleted = Deleted::include};
  }

  /// Half of the time: only what changed before or since some row did.
  template <class Row>
  RowFilter changed() {
    RowFilter filter = everything<Row>();
    const auto row = place_.model.find<Row>(workload_.pick(workload_.ids<Row>()));
    if (!row) return filter;
    auto& end = workload_.chance(50) ? filter.changed.from : filter.changed.to;
    end = from_us(row->revision.us);
    if (workload_.chance(50)) filter.created.from = row->created_at;
    return filter;
  }

  void entities() {
    const auto all = everything<Entity>();
    expect(read_pages(place_.space.entities(), {all, {}, {}, {}}, 2) ==
               place_.model.list(EntityFilter{all, {}, {}, {}}),
           "entities");
    compare(EntityFilter{all, "person", {}, {}}, "entities of a kind");
    compare(EntityFilter{all, {}, workload_.pick(workload_.names()), {}}, "entities of a name");
    compare(EntityFilter{all, {}, {}, "ada"}, "entities of a prefix");
    compare(EntityFilter{changed<Entity>(), {}, {}, {}}, "entities changed then");
  }

  void edges() {
    const auto all = everything<Edge>();
    expect(read_pages(place_.space.edges(), {all, {}, {}, {}, {}}, 2) ==
               place_.model.list(EdgeFilter{all, {}, {}, {}, {}}),
           "edges");
    const EntityId end = known_entity();
    const std::string relation = workload_.pick(workload_.relations());
    compare(EdgeFilter{all, relation, {}, {}, workload_.instant()}, "edges of a relation");
    if (place_.model.find<Entity>(end)) {
      compare(EdgeFilter{all, {}, end, {}, {}}, "edges of a source");
      compare(EdgeFilter{all, {}, {}, end, workload_.instant()}, "edges of a target");
    }
    compare(EdgeFilter{changed<Edge>(), {}, {}, {}, {}}, "edges changed then");
  }

  void notes() {
    const auto all = everything<Note>();
    expect(read_pages(place_.space.notes(), {all, {}, {}, {}, {}, true}, 2) ==
               place_.model.list(NoteFilter{all, {}, {}, {}, {}, true}),
           "notes");
    compare(NoteFilter{all, "observation", {}, {}, workload_.instant(), false},
            "notes not expired then");
    compare(NoteFilter{all, {}, {}, {}, {}, false}, "notes not expired now");
    compare(NoteFilter{all, {}, workload_.pick(workload_.keys()), {}, {}, true}, "notes of a key");
    const EntityId about = known_entity();
    if (place_.model.find<Entity>(about)) {
      compare(NoteFilter{all, {}, {}, about, {}, true}, "notes about");
    }
    compare(NoteFilter{changed<Note>(), {}, {}, {}, {}, true}, "notes changed then");
  }

  /// One that was made in this run; anything else would be an error, as neighbors() checks.
  EntityId known_entity() {
    EntityId id = workload_.pick(workload_.ids<Entity>());
    for (const EntityId other : workload_.ids<Entity>()) {
      if (!place_.model.find<Entity>(id)) id = other;
    }
    return id;
  }

  void neighborhood(EntityId id) {
    try {
      expect(place_.space.neighborhood_seq(id) == place_.model.neighborhood_seq(id),
             "neighbourhood's sequence of " + to_string(id));
    } catch (const NotFound&) {
      expect(!place_.model.find<Entity>(id), "neighbourhood of " + to_string(id));
    }
    for (const Direction direction :
         {Direction::outgoing, Direction::incoming, Direction::both}) {
      neighbors(id, {.direction = direction, .relation = {}, .valid_at = {}});
    }
    neighbors(id, {.direction = Direction::both,
                   .relation = workload_.pick(workload_.relations()),
                   .valid_at = workload_.instant()});
  }

  void neighbors(EntityId id, const NeighborFilter& filter) {
    const std::string what = "neighbours of " + to_string(id) + ", " +
                             std::string(to_string(filter.direction));
    const auto wanted = place_.model.neighbors(id, filter);
    PageRequest request{.limit = 1 + workload_.below(3), .cursor = {}};
    std::vector<Neighbor> got;
    try {
      for (bool more = true; more;) {
        const auto page = place_.space.neighbors(id, filter, request);
        got.insert(got.end(), page.items.begin(), page.items.end());
        expect(wanted && got.size() + page.left_out == wanted->size(), what + ", left out");
        more = page.next.has_value();
        request.cursor = page.next.value_or("");
      }
    } catch (const NotFound&) {
      return expect(!wanted, what);
    }
    const auto same = [](const Neighbor& a, const Neighbor& b) {
      return a.edge == b.edge && a.direction == b.direction && a.entity == b.entity;
    };
    expect(std::equal(got.begin(), got.end(), wanted->begin(), wanted->end(), same), what);
  }

  void journal() {
    const auto& wanted = place_.model.events();
    const auto snapshot = store_.database().snapshot();
    const auto got =
        journal::read_after(snapshot->transaction(), place_.space.name(), 0, wanted.size() + 1);
    expect(got.size() == wanted.size(), "length of the journal");
    for (std::size_t i = 0; i < got.size(); ++i) {
      const ModelEvent event{got[i].kind, got[i].id, got[i].op, got[i].at};
      expect(got[i].seq == i + 1 && event == wanted[i], "event " + std::to_string(i + 1));
    }
    const auto tail = place_.space.tail();
    expect(tail.seq == wanted.size() && tail.at == wanted.back().at, "tail");
  }

  Store& store_;
  Place& place_;
  Workload& workload_;
  const std::vector<Deleted> deleted_ = {Deleted::include, Deleted::exclude, Deleted::only};
};

}  // namespace

void compare_everything(Store& store, Place& place, Workload& workload) {
  Comparison(store, place, workload).run();
}

}  // namespace holdfast::test
