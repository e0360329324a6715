#include <holdfast/notes/note_store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/storage/guard.h>

#include "note_table.h"

namespace holdfast::notes {
namespace {

storage::Query narrowed(storage::Query query, std::string_view space, const NoteFilter& filter) {
  query.where("space = $", space);
  if (filter.kind) query.where("kind = $", core::check_name("kind", *filter.kind));
  if (filter.key) query.where("key = $", core::check_name("key", *filter.key));
  if (filter.key_prefix) {
    const std::string prefix = core::check_name("key_prefix", *filter.key_prefix);
    query.where("key IS NOT NULL AND key >= $", prefix);
    const std::string end = core::prefix_end(prefix);
    if (!end.empty()) query.where("key < $", end);
  }
  if (filter.about) query.where("about = $", *filter.about);
  if (filter.live_at && !filter.include_expired) {
    query.where_now("expires_at > $", *filter.live_at);
  }
  journal::apply_filter(query, filter);
  return query;
}

journal::Filtered filtered(std::string_view space, const NoteFilter& filter) {
  return {[space, &filter](storage::Query query) {
            return narrowed(std::move(query), space, filter);
          },
          journal::RowConditions(filter, filter.tags_any, filter.tags_all)};
}

/// Only the index over live keys can answer fast, and only a query that repeats its WHERE uses it.
std::optional<Note> holder_of(storage::Transaction& transaction, std::string_view space,
                              std::string_view key) {
  static const std::string sql =
      NoteTable::select() +
      " WHERE space = $1 AND key = $2 AND deleted_at IS NULL AND key IS NOT NULL";
  auto select = transaction.prepare(sql);
  select.bind(space, key);
  if (!select.step()) return std::nullopt;
  return NoteTable::read(select.row());
}

}  // namespace

void NoteStore::normalise(Note& note) {
  note.kind = core::check_name("kind", note.kind);
  if (note.key) note.key = core::check_name("key", *note.key);
  core::check_content("content", note.content);
  note.tags = core::check_tags("tags", note.tags);
  core::check_finite("salience", note.salience);
  note.salience += 0.0;  // SQL keeps no minus zero, so neither may the event's body
  if (note.expires_at && to_us(*note.expires_at) == core::kTimeMax) {
    throw InvalidArgument("expires_at", std::to_string(core::kTimeMax),
                          "be below 2^63 - 1 us, or absent for never");
  }
}

std::optional<WriteResult<Note>> NoteStore::refusal(journal::Appender& appender,
                                                    std::string_view write, const Note& note,
                                                    bool about_is_new) const {
  WriteResult<Note> refused;
  if (note.about && about_is_new) {
    const auto mark =
        registry_.probe(appender.transaction(), appender.space(), "entity", note.about->uuid);
    if (!storage::holds(write, "about", mark && mark->is_live())) {
      refused.outcome = Outcome::endpoint_missing;
      refused.missing = {*note.about};
      return refused;
    }
  }
  if (!note.key) return std::nullopt;
  refused.current = holder_of(appender.transaction(), appender.space(), *note.key);
  const bool is_free = !refused.current || refused.current->id == note.id;
  if (storage::holds(write, "key", is_free)) return std::nullopt;
  refused.outcome = Outcome::key_taken;
  return refused;
}

WriteResult<Note> NoteStore::replace(journal::Appender& appender, Note note,
                                     const Expected& expected, std::string_view op) const {
  return seen(appender,
              NoteTable::replace_if_unchanged(appender, std::move(note), expected, op));
}

WriteResult<Note> NoteStore::seen(journal::Appender& appender, WriteResult<Note> result) const {
  if (result.current) look_up_about(appender.transaction(), appender.space(), *result.current);
  return result;
}

WriteResult<Note> NoteStore::insert_if_absent(journal::Appender& appender, Note note) const {
  return insert(appender, std::move(note), true);
}

WriteResult<Note> NoteStore::insert_exported(journal::Appender& appender, Note note) const {
  return insert(appender, std::move(note), false);
}

WriteResult<Note> NoteStore::insert(journal::Appender& appender, Note note,
                                    bool about_is_new) const {
  if (!note.deleted_at) {
    if (auto refused = refusal(appender, "note.insert", note, about_is_new)) {
      return seen(appender, NoteTable::refuse_insert(appender, note, std::move(*refused)));
    }
  }
  return seen(appender, NoteTable::insert_if_absent(appender, std::move(note)));
}

WriteResult<Note> NoteStore::replace_if_unchanged(journal::Appender& appender, Note note,
                                                  const Expected& expected) const {
  if (!note.deleted_at) {
    // A note may stay about an entity that was deleted since; it may not become so.
    const auto current = NoteTable::find(appender.transaction(), appender.space(), note.id);
    const bool about_is_new = !current || current->about != note.about;
    if (auto refused = refusal(appender, "note.replace", note, about_is_new)) {
      return seen(appender, NoteTable::refuse_replace(appender, note, expected,
                                                      std::move(*refused)));
    }
  }
  return replace(appender, std::move(note), expected, "replace");
}

WriteResult<Note> NoteStore::remove(journal::Appender& appender, Note note,
                                    const Expected& expected) const {
  return replace(appender, std::move(note), expected, "delete");
}

WriteResult<Note> NoteStore::restore(journal::Appender& appender, Note note,
                                     const Expected& expected) const {
  if (auto refused = refusal(appender, "note.restore", note, false)) {
    return seen(appender, NoteTable::refuse_replace(appender, note, expected,
                                                    std::move(*refused)));
  }
  return replace(appender, std::move(note), expected, "restore");
}

WriteResult<Note> NoteStore::purge(journal::Appender& appender, NoteId id,
                                   const Expected& expected) const {
  return seen(appender, NoteTable::purge(appender, id, expected));
}

std::optional<Note> NoteStore::find(storage::Transaction& transaction, std::string_view space,
                                    NoteId id) const {
  auto note = NoteTable::find(transaction, space, id);
  if (note) look_up_about(transaction, space, *note);
  return note;
}

std::optional<Note> NoteStore::find_key(storage::Transaction& transaction, std::string_view space,
                                        std::string_view key) const {
  auto note = holder_of(transaction, space, core::check_name("key", key));
  if (note) look_up_about(transaction, space, *note);
  return note;
}

Page<Note> NoteStore::list(storage::Transaction& transaction, std::string_view space,
                           const NoteFilter& filter, const PageRequest& request) const {
  require_known(transaction, space, filter);
  auto page = journal::list_page<Note>(transaction, filtered(space, filter), request,
                                       filter.key_prefix ? "key" : "",
                                       [](const Note& row) { return row.key.value(); });
  for (Note& note : page.items) look_up_about(transaction, space, note);
  return page;
}

void NoteStore::require_known(storage::Transaction& transaction, std::string_view space,
                              const NoteFilter& filter) const {
  if (!filter.about) return;
  if (registry_.probe(transaction, space, "entity", filter.about->uuid)) return;
  // Its notes outlive a purged entity.
  if (journal::last_event(transaction, space, "entity", filter.about->uuid)) return;
  throw NotFound("entity", to_string(*filter.about));
}

void NoteStore::look_up_about(storage::Transaction& transaction, std::string_view space,
                              Note& note) const {
  note.about_is_deleted = false;
  if (!note.about) return;
  const auto mark = registry_.probe(transaction, space, "entity", note.about->uuid);
  note.about_is_deleted = !mark || !mark->is_live();
}

std::uint64_t NoteStore::count(storage::Transaction& transaction, std::string_view space,
                               const NoteFilter& filter) const {
  require_known(transaction, space, filter);
  return journal::count_rows(transaction, journal::RowTraits<Note>::spec,
                             filtered(space, filter));
}

journal::RowMatcher NoteStore::matcher(std::string_view space, const NoteFilter& filter) {
  return {journal::RowTraits<Note>::spec, filtered(space, filter)};
}

bool NoteStore::is_unexpired(storage::Transaction& transaction, std::string_view space, NoteId id,
                             Timestamp at) {
  auto select = transaction.prepare(
      "SELECT 1 FROM notes WHERE space = $1 AND id = $2 AND expires_at > $3");
  select.bind(space, id, at);
  return select.step();
}

journal::Source NoteStore::source() { return NoteTable::source(); }

void NoteStore::apply(const JsonObject& document, core::Fields mode, Note& note) {
  core::apply_fields(document, note_fields(note, mode));
}

std::string NoteStore::body(const Note& note) { return NoteTable::body(note); }
Note NoteStore::from_json(const JsonObject& document) { return NoteTable::from_json(document); }
Note NoteStore::from_event(storage::Transaction& transaction, std::string_view space,
                           const Event& event) const {
  Note note = NoteTable::from_event(event);
  look_up_about(transaction, space, note);
  return note;
}

std::string NoteStore::to_json(const Note& note) {
  std::string text = NoteTable::json(note);
  text.pop_back();
  return text + ",\"about_is_deleted\":" + (note.about_is_deleted ? "true}" : "false}");
}

}  // namespace holdfast::notes
