#include "sim/serial_client.h"

#include <algorithm>

#include <holdfast/core/error.h>

namespace holdfast::test {
namespace {

Entity entity(EntityId id, const std::string& kind, const std::string& name) {
  Entity row;
  row.id = id;
  row.kind = kind;
  row.name = name;
  return row;
}

bool is_live(const std::string& answer) { return answer.ends_with(" live\n"); }

}  // namespace

Grounds::Grounds(const Space& space, core::IdSource& ids, std::size_t late_max) {
  for (int i = 0; i < 6; ++i) {
    entities.push_back({ids.next()});
    (void)space.entities().insert_if_absent(
        entity(entities.back(), i % 2 == 0 ? "a" : "b", "first"));
  }
  for (std::size_t i = 0; i < late_max; ++i) late.push_back({ids.next()});
  for (std::size_t i = 0; i + 1 < entities.size(); ++i) {
    Edge edge;
    edge.source = entities[i];
    edge.relation = "r0";
    edge.target = entities[i + 1];
    edges.push_back(space.edges().insert_if_absent(edge).current->id);
  }
  Note note;
  note.kind = "n";
  note.about = entities[0];
  notes.push_back(space.notes().insert_if_absent(note).current->id);
}

void SerialClient::transact() {
  try {
    const auto result = space_.transact([&](Transaction& t) { think(t); });
    Ended end{.position = position_, .events = {}, .seen = seen_};
    applied += result.applied() ? 1U : 0U;
    for (const StepResult& step : result.steps) {
      if (!result.applied()) break;
      const std::size_t along = step.edges.size() + step.handed_over.size();
      end.events.push_back(step.seq == 0 ? 0 : 1 + along);
    }
    ended.push_back(std::move(end));
  } catch (const TransactConflict&) {
    ++gave_up;
  }
}

void SerialClient::think(Transaction& t) {
  ++runs;
  seen_.clear();
  const std::uint64_t actions = 2 + random_.below(4);
  for (std::uint64_t i = 0; i < actions; ++i) {
    pass_();
    if (random_.below(2) == 0) {
      act(t);
    } else {
      look(t);
    }
  }
}

std::string SerialClient::read(Transaction& t, Read read) {
  const std::size_t after = t.changes().steps().size();
  const bool is_around = blind_.to.contains(read.what) || (blind_.to_own && after > 0);
  seen_.push_back({.read = read, .answer = "", .after = after});
  seen_.back().answer = is_around ? ask(space_, read) : ask(t, read);
  return seen_.back().answer;
}

bool SerialClient::is_live(Transaction& t, EntityId id, What what) {
  return test::is_live(read(t, {.what = what, .id = id.uuid}));
}

EntityId SerialClient::some_late() {
  const std::size_t end = std::min(grounds_.late.size(), grounds_.taken + 2);
  const std::size_t from = end > 6 ? end - 6 : 0;
  return grounds_.late[from + random_.below(end - from)];
}

void SerialClient::look(Transaction& t) {
  switch (random_.below(10)) {
    case 0: (void)read(t, {.what = What::row, .id = some(grounds_.entities).uuid}); break;
    case 1: (void)read(t, {.what = What::liveness, .id = some(grounds_.entities).uuid}); break;
    case 2: (void)read(t, {.what = What::absence, .id = some_late().uuid}); break;
    case 3: (void)read(t, {.what = What::edge, .id = some(grounds_.edges).uuid}); break;
    case 4: (void)read(t, {.what = What::note, .id = some(grounds_.notes).uuid}); break;
    case 5: (void)read(t, {.what = What::note_key, .text = some_name("k", 4)}); break;
    case 6: (void)read(t, {.what = What::key, .text = some_name("m", 4)}); break;
    case 7: (void)read(t, {.what = What::neighbors, .id = some(grounds_.entities).uuid}); break;
    case 8: (void)read(t, {.what = What::page, .text = some_kind()}); break;
    default: (void)read(t, {.what = What::count, .text = some_kind()}); break;
  }
}

void SerialClient::act(Transaction& t) {
  switch (random_.below(9)) {
    case 0:
    case 1:
    case 2: return change_entity(t);
    case 3: return end_entity(t);
    case 4: return create_entity(t);
    case 5: return create_edge(t);
    case 6: return end_edge(t);
    case 7: return create_note(t);
    default: return change_note(t);
  }
}

void SerialClient::change_entity(Transaction& t) {
  const EntityId id = some(grounds_.entities);
  if (!is_live(t, id, What::row_to_write)) return;
  const std::string mail = some_name("m", 4);
  std::string properties = R"({"n":")" + fresh() + "\"";
  if (random_.below(2) == 0 && read(t, {.what = What::key, .text = mail}) == "none") {
    properties += R"(,"mail":")" + mail + "\"";
  } else if (random_.below(3) == 0) {
    properties += R"(,"mail":null)";
  }
  t.patch(id, JsonObject::parse("patch", R"({"properties":)" + properties + "}}"));
}

void SerialClient::end_entity(Transaction& t) {
  const EntityId id = some(grounds_.entities);
  const std::string state = read(t, {.what = What::liveness, .id = id.uuid});
  if (state == "deleted") t.restore(id);
  if (state == "live" && random_.below(2) == 0) t.remove(id);
}

void SerialClient::create_entity(Transaction& t) {
  const EntityId id = some_late();
  if (read(t, {.what = What::absence, .id = id.uuid}) != "none") return;
  t.create(entity(id, some_kind(), fresh()));
  while (grounds_.taken < grounds_.late.size() && grounds_.late[grounds_.taken] <= id) {
    ++grounds_.taken;
  }
}

void SerialClient::create_edge(Transaction& t) {
  Edge edge;
  edge.id = {space_.access().environment.ids.next()};
  edge.source = some(grounds_.entities);
  edge.target = some(grounds_.entities);
  edge.relation = some_name("r", 5);
  if (edge.source == edge.target || !is_live(t, edge.source, What::row)) return;
  if (!is_live(t, edge.target, What::row)) return;
  t.create(edge);
  grounds_.edges.push_back(edge.id);
}

void SerialClient::end_edge(Transaction& t) {
  const EdgeId id = some(grounds_.edges);
  if (test::is_live(read(t, {.what = What::edge, .id = id.uuid}))) t.remove(id);
}

void SerialClient::create_note(Transaction& t) {
  Note note;
  note.id = {space_.access().environment.ids.next()};
  note.kind = "n";
  note.key = some_name("k", 4);
  note.content = fresh();
  const EntityId about = some(grounds_.entities);
  if (read(t, {.what = What::note_key, .text = *note.key}) != "none") return;
  if (is_live(t, about, What::row)) note.about = about;
  t.create(note);
  grounds_.notes.push_back(note.id);
}

void SerialClient::change_note(Transaction& t) {
  const NoteId id = some(grounds_.notes);
  if (!test::is_live(read(t, {.what = What::note, .id = id.uuid}))) return;
  if (random_.below(3) == 0) return t.remove(id);
  t.patch(id, JsonObject::parse("patch", R"({"content":")" + fresh() + "\"}"));
}

std::string first_difference(const Space& space, std::vector<Ended> ended) {
  // Who wrote at a position comes after those who only read there.
  std::stable_sort(ended.begin(), ended.end(), [](const Ended& one, const Ended& other) {
    const auto order = [](const Ended& e) {
      const bool wrote = std::any_of(e.events.begin(), e.events.end(),
                                     [](std::size_t n) { return n > 0; });
      return std::pair(e.position, wrote);
    };
    return order(one) < order(other);
  });
  Replay replay;
  Sequence at = 0;
  const auto advance = [&](Sequence to) {
    while (at < to) {
      for (const Event& event : space.tail(at, std::min<std::size_t>(to - at, 1000))) {
        replay.apply(event);
        at = event.seq;
      }
    }
  };
  for (const Ended& one : ended) {
    advance(one.position);
    Sequence place = one.position;
    std::size_t made = 0;
    for (const Seen& seen : one.seen) {
      if (seen.after > one.events.size()) break;  // seen through changes that were refused
      for (; made < seen.after; ++made) place += one.events[made];
      advance(place);
      const std::string there = replay.answer(seen.read);
      if (there == seen.answer) continue;
      return "at " + std::to_string(one.position) + ", read " +
             std::to_string(static_cast<int>(seen.read.what)) + " after " +
             std::to_string(seen.after) + " own changes:\n" + seen.answer + "\nbut there was\n" +
             there;
    }
  }
  return "";
}

}  // namespace holdfast::test
