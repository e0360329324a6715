#pragma once

#include "suites/support.h"

namespace holdfast::test {

/// What every kind of row can do, so that a rule that all kinds obey is tested once for each:
///   using Row;
///   static Row add(TestStore&, const Space&, const std::string& name);
///   static Row fresh(TestStore&, const Space&, const std::string& name);  // to be inserted
///   static const Collection<...>& in(const Space&);
///   static void edit(Row&);                           // a change that a replace may make
///   static WriteResult<Row> replace(const Space&, const Row&, const Expected&);
///   static std::optional<Row> find(const Space&, const Row&);
template <class RowStore>
struct RowKind {
  using Row = typename RowStore::Row;
  static constexpr std::string_view kKind = RowStore::kKind;
  static WriteResult<Row> replace(const Space& space, const Row& write, const Expected& read) {
    return in(space).replace_if_unchanged(write, read);
  }
  static std::optional<Row> find(const Space& space, const Row& row) {
    return in(space).find(row.id);
  }
  static const Collection<RowStore>& in(const Space& space);
};

template <>
inline const Collection<graph::EntityStore>& RowKind<graph::EntityStore>::in(const Space& space) {
  return space.entities();
}
template <>
inline const Collection<graph::EdgeStore>& RowKind<graph::EdgeStore>::in(const Space& space) {
  return space.edges();
}
template <>
inline const Collection<notes::NoteStore>& RowKind<notes::NoteStore>::in(const Space& space) {
  return space.notes();
}

template <>
inline const Collection<schedule::EventStore>& RowKind<schedule::EventStore>::in(
    const Space& space) {
  return space.events();
}

struct EntityKind : RowKind<graph::EntityStore> {
  static Entity fresh(TestStore&, const Space&, const std::string& name) {
    Entity entity;
    entity.kind = "person";
    entity.name = name;
    entity.tags = {"one", "two"};
    entity.properties = JsonObject::parse("properties", R"({"z":1.50,"a":[1,null]})");
    return entity;
  }
  static Entity add(TestStore& store, const Space& space, const std::string& name) {
    return written(space.entities().insert_if_absent(fresh(store, space, name)));
  }
  static void edit(Entity& entity) { entity.name += ", edited"; }
};

struct EdgeKind : RowKind<graph::EdgeStore> {
  /// Between two entities of its own, over a time with both ends.
  static Edge fresh(TestStore& store, const Space& space, const std::string& name) {
    pass_time(store);
    const EntityId source = EntityKind::add(store, space, name + ", source").id;
    pass_time(store);
    const EntityId target = EntityKind::add(store, space, name + ", target").id;
    pass_time(store);
    Edge edge = edge_between(source, "knows", target);
    edge.properties = JsonObject::parse("properties", R"({"since":"school"})");
    edge.weight = 0.1;
    edge.valid_from = at_us(1000);
    edge.valid_to = at_us(2000);
    return edge;
  }
  static Edge add(TestStore& store, const Space& space, const std::string& name) {
    return written(space.edges().insert_if_absent(fresh(store, space, name)));
  }
  static void edit(Edge& edge) { edge.weight += 1; }
};

struct NoteKind : RowKind<notes::NoteStore> {
  static Note fresh(TestStore&, const Space&, const std::string& name) {
    Note note;
    note.kind = "observation";
    note.content = name;
    note.tags = {"one", "two"};
    note.salience = 0.5;
    return note;
  }
  static Note add(TestStore& store, const Space& space, const std::string& name) {
    return written(space.notes().insert_if_absent(fresh(store, space, name)));
  }
  static void edit(Note& note) { note.content += ", edited"; }
};

struct ScheduledKind : RowKind<schedule::EventStore> {
  static ScheduledEvent fresh(TestStore&, const Space&, const std::string& name) {
    ScheduledEvent event;
    event.payload = JsonObject::trusted(R"({"text":")" + name + R"("})");
    event.trigger_text = "2030-03-31 02:30";
    event.zone = "Europe/Zurich";
    event.repeat = "daily";
    event.properties = JsonObject::parse("properties", R"({"z":1.50,"a":[1,null]})");
    return event;
  }
  static ScheduledEvent add(TestStore& store, const Space& space, const std::string& name) {
    return written(space.events().insert_if_absent(fresh(store, space, name)));
  }
  static void edit(ScheduledEvent& event) { event.max_attempts += 1; }
};

}  // namespace holdfast::test
