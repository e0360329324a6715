#include <holdfast/space/collection.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/journal.h>
#include <holdfast/notes/note_store.h>

#include "writing.h"

namespace holdfast {
namespace {

/// A random pause that grows with the attempts, up to some 20 ms, so that rivals fall out of step.
void pause(core::Environment& environment, unsigned attempt) {
  const std::uint64_t longest_us = std::min<std::uint64_t>(50ULL << std::min(attempt, 8U), 20'000);
  environment.clock.sleep_for(
      std::chrono::microseconds(environment.random.below(longest_us)));
}

template <class Row>
Expected as_read(const Row& row) {
  return {.revision = row.revision, .deleted_at = row.deleted_at};
}

/// True when the caller means the row as it now is: by naming it so, or by naming nothing.
template <class Row>
bool names(const std::optional<Expected>& expected, const Row& row) {
  return !expected ||
         (expected->revision == row.revision && expected->deleted_at == row.deleted_at);
}

template <class Row>
WriteResult<Row> answer(Outcome outcome, std::optional<Row> current) {
  WriteResult<Row> result;
  result.outcome = outcome;
  result.current = std::move(current);
  return result;
}

/// Only notes expire; without a time of the caller's own, those that have by now are left out.
NoteFilter at_now(NoteFilter filter, core::Clock& clock) {
  if (!filter.live_at) filter.live_at = clock.now();
  return filter;
}
template <class Filter>
const Filter& at_now(const Filter& filter, core::Clock&) {
  return filter;
}

bool lost_the_race(Outcome outcome) {
  return outcome == Outcome::revision_moved || outcome == Outcome::deletion_changed ||
         outcome == Outcome::not_advanced;
}

}  // namespace

template <class RowStore>
template <class Write>
auto Collection<RowStore>::write(Write write) const -> WriteResult<Row> {
  return submit_write<WriteResult<Row>>(access_, write);
}

template <class RowStore>
auto Collection<RowStore>::stored_form(Row row) const -> Row {
  RowStore::normalise(row);
  return row;
}

template <class RowStore>
auto Collection<RowStore>::insert_if_absent(Row given) const -> WriteResult<Row> {
  Row row = stored_form(std::move(given));
  if (row.id.uuid.is_nil()) row.id = {access_.environment.ids.next()};
  row.created_at = access_.environment.clock.now();
  row.revision = first_revision(row.created_at);
  row.deleted_at.reset();
  return write([&](journal::Appender& appender) { return store_.insert_if_absent(appender, row); });
}

template <class RowStore>
auto Collection<RowStore>::replace_if_unchanged(Row given, const Expected& expected) const
    -> WriteResult<Row> {
  const Row row = stored_form(std::move(given));
  if (row.deleted_at != expected.deleted_at) {
    throw InvalidArgument("deleted_at", row.deleted_at ? to_rfc3339(*row.deleted_at) : "none",
                          "stay as expected: remove and restore change it");
  }
  return write([&](journal::Appender& appender) {
    return store_.replace_if_unchanged(appender, row, expected);
  });
}

template <class RowStore>
auto Collection<RowStore>::replace(Row row, const Expected& expected) const -> WriteResult<Row> {
  row.revision = next_revision(access_.environment.clock.now(), expected.revision);
  return replace_if_unchanged(std::move(row), expected);
}

template <class RowStore>
auto Collection<RowStore>::retried(
    RowId id, const UpdateOptions& options,
    const std::function<std::optional<WriteResult<Row>>(const Row&)>& attempt) const
    -> WriteResult<Row> {
  for (unsigned tries = 0; tries < options.attempts_max; ++tries) {
    if (tries > 0) pause(access_.environment, tries);
    const auto row = find(id);
    if (!row) return answer<Row>(Outcome::missing, std::nullopt);
    if (auto result = attempt(*row)) return std::move(*result);
  }
  throw Conflict(std::string(RowStore::kKind) + " " + to_string(id) +
                 " was changed by others in each of " + std::to_string(options.attempts_max) +
                 " attempts to update it");
}

template <class RowStore>
auto Collection<RowStore>::update(RowId id, const std::function<void(Row&)>& change,
                                  const UpdateOptions& options) const -> WriteResult<Row> {
  return retried(id, options, [&](const Row& read) -> std::optional<WriteResult<Row>> {
    if (read.deleted_at) return answer<Row>(Outcome::deletion_changed, read);
    Row edited = read;
    change(edited);
    edited = stored_form(std::move(edited));
    if (edited.id != read.id) {
      throw InvalidArgument("id", to_string(edited.id), "stay: a row keeps its id for life");
    }
    edited.revision = read.revision;
    edited.seq = read.seq;
    if (edited == read) return answer<Row>(Outcome::unchanged, read);
    access_.environment.faults.at("update.between_read_and_write");
    edited.revision = next_revision(access_.environment.clock.now(), read.revision);
    auto result = replace_if_unchanged(std::move(edited), as_read(read));
    if (lost_the_race(result.outcome)) return std::nullopt;
    return result;
  });
}

template <class RowStore>
auto Collection<RowStore>::patch(RowId id, const JsonObject& document,
                                 const UpdateOptions& options) const -> WriteResult<Row> {
  return update(
      id, [&](Row& row) { RowStore::apply(document, core::Fields::patch, row); }, options);
}

template <class RowStore>
auto Collection<RowStore>::remove(RowId id, const std::optional<Expected>& expected) const
    -> WriteResult<Row> {
  return retried(id, {}, [&](const Row& read) -> std::optional<WriteResult<Row>> {
    if (read.deleted_at && names(expected, read)) return answer<Row>(Outcome::unchanged, read);
    const Expected named = expected.value_or(as_read(read));
    Row deleted = read;
    deleted.revision = next_revision(access_.environment.clock.now(), named.revision);
    deleted.deleted_at = access_.environment.clock.now();
    access_.environment.faults.at("remove.between_read_and_write");
    auto result = write(
        [&](journal::Appender& appender) { return store_.remove(appender, deleted, named); });
    if (!expected && lost_the_race(result.outcome)) return std::nullopt;
    return result;
  });
}

template <class RowStore>
auto Collection<RowStore>::restore(RowId id, const std::optional<Expected>& expected) const
    -> WriteResult<Row> {
  return retried(id, {}, [&](const Row& read) -> std::optional<WriteResult<Row>> {
    if (!read.deleted_at && names(expected, read)) return answer<Row>(Outcome::unchanged, read);
    const Expected named = expected.value_or(as_read(read));
    Row restored = read;
    restored.revision = next_revision(access_.environment.clock.now(), named.revision);
    restored.deleted_at.reset();
    access_.environment.faults.at("restore.between_read_and_write");
    auto result = write(
        [&](journal::Appender& appender) { return store_.restore(appender, restored, named); });
    if (!expected && lost_the_race(result.outcome)) return std::nullopt;
    return result;
  });
}

template <class RowStore>
auto Collection<RowStore>::find(RowId id) const -> std::optional<Row> {
  const auto snapshot = access_.database.snapshot();
  return store_.find(snapshot->transaction(), access_.space, id);
}

template <class RowStore>
auto Collection<RowStore>::get(RowId id) const -> Row {
  auto row = find(id);
  if (!row) throw NotFound(std::string(RowStore::kKind), to_string(id));
  return std::move(*row);
}

template <class RowStore>
auto Collection<RowStore>::list(const Filter& filter, const PageRequest& page) const -> Page<Row> {
  const auto snapshot = access_.database.snapshot();
  return store_.list(snapshot->transaction(), access_.space,
                     at_now(filter, access_.environment.clock), page);
}

template <class RowStore>
std::uint64_t Collection<RowStore>::count(const Filter& filter) const {
  const auto snapshot = access_.database.snapshot();
  return store_.count(snapshot->transaction(), access_.space,
                      at_now(filter, access_.environment.clock));
}

template <class RowStore>
Page<Event> Collection<RowStore>::history(RowId id, const PageRequest& page) const {
  const auto snapshot = access_.database.snapshot();
  return journal::history(snapshot->transaction(), access_.space, RowStore::kKind, id.uuid, page);
}

template class Collection<graph::EntityStore>;
template class Collection<graph::EdgeStore>;
template class Collection<notes::NoteStore>;

}  // namespace holdfast
