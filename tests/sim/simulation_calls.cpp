#include "sim/simulation.h"

#include <algorithm>
#include <limits>

#include <holdfast/core/error.h>

#include "sim/kinds.h"

namespace holdfast::test {
namespace {

constexpr std::int64_t kFarFutureUs = 200'000'000'000'000'000;
constexpr std::int64_t kLastRevision = std::numeric_limits<std::int64_t>::max();

/// The answer as text, for people who look for the difference.
template <class Row>
std::string text(const std::optional<WriteResult<Row>>& result) {
  if (!result) return "invalid";
  std::string text = std::string(to_string(result->outcome)) + " seq " +
                     std::to_string(result->seq) + " " + row_text(result->current);
  for (const EntityId id : result->missing) text += " missing " + to_string(id);
  for (const EdgeId id : result->edges) text += " edge " + to_string(id);
  for (const EdgeId id : result->handed_over) text += " handed over " + to_string(id);
  return text;
}

template <class Row>
bool are_equal(const std::optional<WriteResult<Row>>& a, const std::optional<WriteResult<Row>>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->outcome == b->outcome && a->current == b->current && a->seq == b->seq &&
         a->missing == b->missing && a->edges == b->edges && a->handed_over == b->handed_over &&
         a->kept_out == b->kept_out;
}

}  // namespace

template <class Row>
void Simulation::act(Client& client) {
  const std::uint64_t draw = workload_.below(100);
  if (draw < 20) return read<Row>(client);
  if (draw < 42) return insert<Row>(client);
  if (draw < 58) return replace_primitive<Row>(client);
  if (draw < 66) return replace<Row>(client);
  if (draw < 74) return update<Row>(client, any_id<Row>(*client.place));
  if (draw < 80) return patch<Row>(client, any_id<Row>(*client.place));
  // Few entities are removed: their edges must live long enough to meet.
  if (std::is_same_v<Row, Entity> && draw < 91 && workload_.chance(50)) return read<Row>(client);
  auto id = any_id<Row>(*client.place);
  std::optional<Expected> expected;
  if (workload_.chance(50)) {
    if (const auto row = recall<Row>(client)) {
      id = row->id;
      expected = as_read(*row);
    }
  }
  if (draw < 91) return remove<Row>(client, id, expected);
  restore<Row>(client, id, expected);
}

template <class Row>
auto Simulation::any_id(Place& place) -> IdOf<Row> {
  if (workload_.chance(80)) {
    typename RowsOf<Row>::Filter all;
    all.deleted = Deleted::include;
    const auto rows = place.model.list(all);
    if (!rows.empty()) return workload_.pick(rows).id;
  }
  return workload_.pick(workload_.ids<Row>());
}

template <class Row>
void Simulation::read(Client& client) {
  const auto id = any_id<Row>(*client.place);
  const auto row = collection<Row>(client.place->space).find(id);
  log(client, "read " + to_string(id));
  if (row != client.place->model.find<Row>(id)) throw Mismatch("read " + to_string(id));
  if (row) memory<Row>(client).push_back(*row);
}

template <class Row>
std::optional<Row> Simulation::recall(Client& client) {
  auto& rows = memory<Row>(client);
  if (rows.empty()) return std::nullopt;
  const auto at = static_cast<std::ptrdiff_t>(workload_.below(rows.size()));
  const Row row = rows[static_cast<std::size_t>(at)];
  if (workload_.chance(50)) rows.erase(rows.begin() + at);
  return row;
}

template <class Row>
void Simulation::insert(Client& client) {
  const Row row = workload_.new_row<Row>();
  both<Row>(
      client, "insert", row.id,
      [&] { return collection<Row>(client.place->space).insert_if_absent(row); },
      [&] { return client.place->model.insert_if_absent(row); });
  if constexpr (std::is_same_v<Row, Edge>) {
    const auto stored = client.place->model.find<Edge>(row.id);
    const bool is_swapped = stored && stored->source == row.target && stored->target == row.source;
    if (is_swapped && row.source != row.target) marks_.hit("edge.insert.put_in_order");
  }
}

template <class Row>
void Simulation::replace_primitive(Client& client) {
  const auto read = recall<Row>(client);
  if (!read) return this->read<Row>(client);
  Row row = *read;
  workload_.edit(row);
  Expected expected = as_read(*read);
  row.revision = {read->revision.us == kLastRevision ? kLastRevision : read->revision.us + 1};
  // What was read is spoiled in one way at a time.
  const std::uint64_t draw = workload_.below(100);
  if (draw < 8) row.revision = read->revision;
  if (draw >= 8 && draw < 12) row.revision.us = read->revision.us - 5;
  if (draw >= 12 && draw < 16) row.revision.us = std::max(read->revision.us + 1, kFarFutureUs);
  if (draw == 16 && workload_.chance(60)) row.revision.us = kLastRevision;
  if (draw >= 17 && draw < 23) {
    expected.deleted_at = expected.deleted_at ? std::nullopt : std::optional(row.created_at);
    row.deleted_at = expected.deleted_at;
  }
  if (draw >= 23 && draw < 25) row.deleted_at = from_us(1);
  if (draw >= 25 && draw < 32) workload_.spoil(row);
  if (draw >= 32 && draw < 36) row.id = workload_.pick(workload_.ids<Row>());
  both<Row>(
      client, "replace_if_unchanged", row.id,
      [&] { return collection<Row>(client.place->space).replace_if_unchanged(row, expected); },
      [&] { return client.place->model.replace_if_unchanged(row, expected); });
}

template <class Row>
void Simulation::replace(Client& client) {
  const auto read = recall<Row>(client);
  if (!read) return this->read<Row>(client);
  Row row = *read;
  workload_.edit(row);
  both<Row>(
      client, "replace", row.id,
      [&] { return collection<Row>(client.place->space).replace(row, as_read(*read)); },
      [&] { return client.place->model.replace(row, as_read(*read)); });
}

template <class Row>
void Simulation::update(Client& client, IdOf<Row> id) {
  // Drawn once: the store may run the change several times.
  Row edits = workload_.new_row<Row>();
  const std::uint64_t field = workload_.below(3);
  const auto change = [&](Row& row) { copy_field(edits, field, row); };
  both<Row>(
      client, "update", id,
      [&] { return collection<Row>(client.place->space).update(id, change); },
      [&] { return client.place->model.update<Row>(id, change); });
}

template <class Row>
void Simulation::patch(Client& client, IdOf<Row> id) {
  const Patch<Row> patch = workload_.patch<Row>();
  both<Row>(
      client, "patch", id,
      [&] { return collection<Row>(client.place->space).patch(id, patch.document); },
      [&] { return client.place->model.update<Row>(id, patch.effect); });
}

template <class Row>
void Simulation::remove(Client& client, IdOf<Row> id, const std::optional<Expected>& expected) {
  both<Row>(
      client, "remove", id,
      [&] { return collection<Row>(client.place->space).remove(id, expected); },
      [&] { return client.place->model.remove<Row>(id, expected); });
}

template <class Row>
void Simulation::restore(Client& client, IdOf<Row> id, const std::optional<Expected>& expected) {
  both<Row>(
      client, "restore", id,
      [&] { return collection<Row>(client.place->space).restore(id, expected); },
      [&] { return client.place->model.restore<Row>(id, expected); });
}

template <class Row>
void Simulation::interfere(Client& client, IdOf<Row> id) {
  switch (workload_.below(3)) {
    case 0: return update<Row>(client, id);
    case 1: return remove<Row>(client, id, {});
    default: return restore<Row>(client, id, {});
  }
}

template <class Row>
void Simulation::both(Client& client, const std::string& what, IdOf<Row> id,
                      const Call<Row>& real, const Call<Row>& wanted) {
  if (!is_interrupting_) interruption_ = [this, &client, id] { interfere<Row>(client, id); };
  const std::string call = std::string(kind_name<Row>()) + "." + what;
  std::optional<WriteResult<Row>> got;
  std::optional<WriteResult<Row>> want;
  try {
    got = real();
  } catch (const InvalidArgument&) {
  } catch (const Mismatch&) {
    throw;
  } catch (const std::exception& error) {
    throw Mismatch(client.name + " " + call + " " + to_string(id) + " threw: " + error.what());
  }
  try {
    want = wanted();
  } catch (const Invalid&) {
  }
  log(client, call + " " + to_string(id) + " -> " + text(got));
  if (!are_equal(got, want)) {
    throw Mismatch(client.name + " " + call + " " + to_string(id) + "\n  got    " + text(got) +
                   "\n  wanted " + text(want));
  }
  mark(call, want);
  const auto row = client.place->model.find<Row>(id);
  if (!want && row && row->revision.us == kLastRevision) marks_.hit("write.past_the_last_revision");
  compare_row<Row>(*client.place, id);
  compare_row<Row>(*client.place, any_id<Row>(*client.place));
  if (want) {
    for (const EdgeId edge : want->edges) compare_row<Edge>(*client.place, edge);
    for (const EdgeId edge : want->handed_over) compare_row<Edge>(*client.place, edge);
    // Half of those who are refused go on from what they were told.
    if (want->current && workload_.chance(30)) memory<Row>(client).push_back(*want->current);
  }
}

template <class Row>
void Simulation::compare_row(Place& place, IdOf<Row> id) {
  const auto got = collection<Row>(place.space).find(id);
  const auto wanted = place.model.find<Row>(id);
  if (got == wanted) return;
  throw Mismatch(std::string(kind_name<Row>()) + " " + to_string(id) + "\n  is        " +
                 row_text(got) + "\n  should be " + row_text(wanted));
}

template <class Row>
void Simulation::mark(const std::string& call, const std::optional<WriteResult<Row>>& result) {
  loop_.mix(result ? static_cast<std::uint64_t>(result->outcome) : 99);
  marks_.hit(call + "." + (result ? std::string(to_string(result->outcome)) : "invalid"));
  if (!result || !result->applied()) return;
  const std::int64_t now = to_us(environment_.clock.now());
  const std::int64_t revision = result->current->revision.us;
  if (revision == now + 1) marks_.hit("write.in_the_same_microsecond");
  if (revision > now + 1) marks_.hit("write.while_the_clock_is_behind");
  if (!result->edges.empty()) marks_.hit(call + ".took_edges_along");
  if (!result->handed_over.empty()) marks_.hit(call + ".handed_over");
  mark_row(*result->current, call);
}

void Simulation::mark_row(const Entity&, const std::string&) {}

void Simulation::mark_row(const Edge& row, const std::string& call) {
  if (row.source == row.target) marks_.hit(call + ".a_loop");
  if (row.deleted_at) marks_.hit(call + ".a_deleted_edge");
  if (row.valid_from || row.valid_to) marks_.hit(call + ".with_validity");
}

void Simulation::mark_row(const Note& row, const std::string& call) {
  if (row.about_is_deleted) marks_.hit(call + ".about_a_deleted_entity");
}

template void Simulation::act<Entity>(Client&);
template void Simulation::act<Edge>(Client&);
template void Simulation::act<Note>(Client&);

}  // namespace holdfast::test
