#include <holdfast/space/collection.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/journal.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/schedule/event_store.h>
#include <holdfast/space/plan.h>

#include "changes.h"
#include "given.h"
#include "reading.h"
#include "writing.h"

namespace holdfast {
namespace {

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

/// What a row holds that its own store does not know: an event, a plan.
void check_parts(const ScheduledEvent& event, core::IdSource& ids) {
  for (const JsonMember& member : event.payload.members()) {
    if (member.key != "plan") continue;
    (void)Plan::parse(JsonObject::trusted(std::string(member.value)), ids);
  }
}
template <class Row>
void check_parts(const Row&, core::IdSource&) {}

bool lost_the_race(Outcome outcome) {
  return outcome == Outcome::revision_moved || outcome == Outcome::deletion_changed ||
         outcome == Outcome::not_advanced;
}

/// The parts of a request as one text; no part can run into the next.
template <class... Parts>
std::string request_text(const Parts&... parts) {
  std::string text;
  ((text += std::to_string(std::string_view(parts).size()) + ":" + std::string(parts) + "\n"),
   ...);
  return text;
}

std::string text_of(const std::optional<Expected>& expected) {
  if (!expected) return "any";
  return std::to_string(expected->revision.us) + "/" +
         (expected->deleted_at ? std::to_string(to_us(*expected->deleted_at)) : "live");
}

/// A row without what the store sets.
template <class RowStore>
std::string text_of(typename RowStore::Row row) {
  row.created_at = {};
  row.revision = {};
  return RowStore::body(row);
}

}  // namespace

template <class RowStore>
template <class Write, class What>
auto Collection<RowStore>::write(const WriteOptions& options, Write write, What what) const
    -> WriteResult<Row> {
  check_given_vectors("vectors", options.vectors);
  const auto context = write_context(access_, options);
  const Asked asked(options, [&] { return what() + text_of(options.vectors); });
  const auto write_all = [&](journal::Appender& appender) {
    WriteResult<Row> result = write(appender);
    give_vectors<RowStore>(appender, options.vectors, result);
    return result;
  };
  return submit_write<WriteResult<Row>>(
      access_, context, RowStore::kKind, [&](journal::Appender& appender) {
        return asked.in(appender, write_all, [&](const JsonObject& kept) {
          return repeated(appender.transaction(), access_.space, store_, read_answer(kept),
                          context.request_id);
        });
      });
}

template <class RowStore>
auto Collection<RowStore>::stored_form(Row row) const -> Row {
  RowStore::normalise(row);
  check_parts(row, access_.environment.ids);
  return row;
}

template <class RowStore>
auto Collection<RowStore>::insert_if_absent(Row given, const WriteOptions& options) const
    -> WriteResult<Row> {
  const Row asked = stored_form(std::move(given));
  Row row = asked;
  if (row.id.uuid.is_nil()) row.id = {access_.environment.ids.next()};
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_).insert(row);
      },
      [&] { return request_text("insert", RowStore::kKind, text_of<RowStore>(asked)); });
}

template <class RowStore>
auto Collection<RowStore>::replace_row(const Row& row, const Expected& expected,
                                       const WriteOptions& options, std::string what) const
    -> WriteResult<Row> {
  if (row.deleted_at != expected.deleted_at) {
    throw InvalidArgument("deleted_at", row.deleted_at ? to_rfc3339(*row.deleted_at) : "none",
                          "stay as expected: remove and restore change it");
  }
  return write(
      options,
      [&](journal::Appender& appender) {
        return store_.replace_if_unchanged(appender, row, expected);
      },
      [&] { return what; });
}

template <class RowStore>
auto Collection<RowStore>::replace_if_unchanged(Row given, const Expected& expected,
                                                const WriteOptions& options) const
    -> WriteResult<Row> {
  const Row row = stored_form(std::move(given));
  return replace_row(row, expected, options,
                     request_text("replace_if_unchanged", RowStore::kKind, RowStore::body(row),
                                  text_of(expected)));
}

template <class RowStore>
auto Collection<RowStore>::replace(Row given, const Expected& expected,
                                   const WriteOptions& options) const -> WriteResult<Row> {
  Row row = stored_form(std::move(given));
  std::string what =
      request_text("replace", RowStore::kKind, text_of<RowStore>(row), text_of(expected));
  row.revision = next_revision(access_.environment.clock.now(), expected.revision);
  return replace_row(row, expected, options, std::move(what));
}

template <class RowStore>
auto Collection<RowStore>::kept_answer(const WriteOptions& options, RowId id) const
    -> std::optional<WriteResult<Row>> {
  if (options.request_id.empty()) return std::nullopt;
  const auto context = write_context(access_, options);
  const Asked asked(options, [&] {
    return request_text("update", RowStore::kKind, to_string(id)) + text_of(options.vectors);
  });
  auto result = submit_uncounted<WriteResult<Row>>(
      access_, context, [&](journal::Appender& appender) {
        return asked.in(
            appender, [](journal::Appender&) { return WriteResult<Row>{}; },
            [&](const JsonObject& kept) {
              return repeated(appender.transaction(), access_.space, store_, read_answer(kept),
                              context.request_id);
            });
      });
  if (!result.repeated) return std::nullopt;
  access_.meter.wrote(RowStore::kKind, result.outcome, true);
  return result;
}

template <class RowStore>
auto Collection<RowStore>::update(RowId id, const std::function<void(Row&)>& change,
                                  const UpdateOptions& given) const -> WriteResult<Row> {
  const WriteOptions options{.request_id = given.request_id, .vectors = given.vectors};
  if (auto kept = kept_answer(options, id)) return std::move(*kept);
  // The same request may have landed from elsewhere since, and be why there is nothing to do.
  const auto nothing_to_do = [&](Outcome outcome, std::optional<Row> row) {
    auto kept = kept_answer(options, id);
    return kept ? std::move(*kept) : answer<Row>(outcome, std::move(row));
  };
  if (given.attempts_max == 0) throw InvalidArgument("attempts_max", "0", "be at least 1");
  for (unsigned tries = 0; tries < given.attempts_max; ++tries) {
    if (tries > 0) {
      access_.meter.retried(RowStore::kKind);
      pause_before_retry(access_.environment, tries);
    }
    const auto read = find(id);
    if (!read) return nothing_to_do(Outcome::missing, std::nullopt);
    if (read->deleted_at) return nothing_to_do(Outcome::deletion_changed, read);
    Row edited = *read;
    change(edited);
    edited = stored_form(std::move(edited));
    if (edited.id != read->id) {
      throw InvalidArgument("id", to_string(edited.id), "stay: a row keeps its id for life");
    }
    edited.revision = read->revision;
    edited.seq = read->seq;
    if (edited == *read) return nothing_to_do(Outcome::unchanged, read);
    access_.environment.faults.at("update.between_read_and_write");
    edited.revision = next_revision(access_.environment.clock.now(), read->revision);
    auto result = replace_row(edited, as_read(*read), options,
                              request_text("update", RowStore::kKind, to_string(id)));
    if (!lost_the_race(result.outcome)) return result;
  }
  throw Conflict(std::string(RowStore::kKind) + " " + to_string(id) +
                 " was changed by others in each of " + std::to_string(given.attempts_max) +
                 " attempts to update it");
}

template <class RowStore>
auto Collection<RowStore>::patch(RowId id, const JsonObject& document,
                                 const std::optional<Expected>& expected,
                                 const WriteOptions& options) const -> WriteResult<Row> {
  access_.environment.faults.at("patch.between_read_and_write");
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_).patch(id, expected, document);
      },
      [&] {
        return request_text("patch", RowStore::kKind, to_string(id), document.text(),
                            text_of(expected));
      });
}

template <class RowStore>
auto Collection<RowStore>::remove(RowId id, const std::optional<Expected>& expected,
                                  const WriteOptions& options) const -> WriteResult<Row> {
  access_.environment.faults.at("remove.between_read_and_write");
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_).remove(id, expected);
      },
      [&] { return request_text("delete", RowStore::kKind, to_string(id), text_of(expected)); });
}

template <class RowStore>
auto Collection<RowStore>::restore(RowId id, const std::optional<Expected>& expected,
                                   const WriteOptions& options) const -> WriteResult<Row> {
  access_.environment.faults.at("restore.between_read_and_write");
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_).restore(id, expected);
      },
      [&] { return request_text("restore", RowStore::kKind, to_string(id), text_of(expected)); });
}

template <class RowStore>
auto Collection<RowStore>::purge(RowId id, const std::optional<Expected>& expected,
                                 const WriteOptions& options) const -> WriteResult<Row> {
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_).purge(id, expected);
      },
      [&] { return request_text("purge", RowStore::kKind, to_string(id), text_of(expected)); });
}

template <class RowStore>
auto Collection<RowStore>::retarget(RowId id, const EdgeMove& to,
                                    const std::optional<Expected>& expected,
                                    const WriteOptions& options) const -> WriteResult<Row>
  requires std::is_same_v<Row, Edge>
{
  return write(
      options,
      [&](journal::Appender& appender) {
        return Changes<RowStore>(appender, store_)
            .retarget(id, expected, [&](Row& row) { to.apply(row); });
      },
      [&] {
        return request_text("retarget", RowStore::kKind, to_string(id), to.to_json(),
                            text_of(expected));
      });
}

template <class RowStore>
auto Collection<RowStore>::find(RowId id) const -> std::optional<Row> {
  const Reading reading(access_);
  return store_.find(reading.transaction(), access_.space, id);
}

template <class RowStore>
auto Collection<RowStore>::get(RowId id) const -> Row {
  auto row = find(id);
  if (!row) throw NotFound(std::string(RowStore::kKind), to_string(id));
  return std::move(*row);
}

template <class RowStore>
auto Collection<RowStore>::as_of(RowId id, Sequence seq) const -> std::optional<Row> {
  const Reading reading(access_);
  storage::Transaction& transaction = reading.transaction();
  const Sequence end = reading.tail().seq;
  if (seq > end) {
    throw InvalidArgument("as_of", std::to_string(seq),
                          "not be after the journal's end, " + std::to_string(end));
  }
  const auto event =
      journal::event_as_of(transaction, access_.space, RowStore::kKind, id.uuid, seq);
  if (event) return store_.from_event(transaction, access_.space, *event);
  if (!journal::last_event(transaction, access_.space, RowStore::kKind, id.uuid)) {
    throw NotFound(std::string(RowStore::kKind), to_string(id));
  }
  return std::nullopt;
}

template <class RowStore>
auto Collection<RowStore>::as_of(RowId id, Timestamp time) const -> std::optional<Row> {
  Sequence seq = 0;
  {
    const Reading reading(access_);
    seq = journal::seq_as_of(reading.transaction(), access_.space, time);
  }
  return as_of(id, seq);
}

template <class RowStore>
auto Collection<RowStore>::list(const Filter& filter, const PageRequest& page) const -> Page<Row> {
  const Reading reading(access_);
  return store_.list(reading.transaction(), access_.space,
                     at_now(filter, access_.environment.clock), page);
}

template <class RowStore>
std::uint64_t Collection<RowStore>::count(const Filter& filter) const {
  const Reading reading(access_);
  return store_.count(reading.transaction(), access_.space,
                      at_now(filter, access_.environment.clock));
}

template <class RowStore>
Page<Event> Collection<RowStore>::history(RowId id, const PageRequest& page) const {
  const Reading reading(access_);
  return journal::history(reading.transaction(), access_.space, RowStore::kKind, id.uuid, page);
}

template class Collection<graph::EntityStore>;
template class Collection<graph::EdgeStore>;
template class Collection<notes::NoteStore>;
template class Collection<schedule::EventStore>;

}  // namespace holdfast
