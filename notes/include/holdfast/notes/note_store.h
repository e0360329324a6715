#pragma once

#include <cstdint>
#include <optional>

#include <holdfast/core/json_fields.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/notes/note.h>
#include <holdfast/storage/page.h>

namespace holdfast::notes {

/// Notes under guard, with the rules of the other stores and these: a key names one live note, and
/// what a note is about must be a live entity when that is written.
/// Thread safety is the transaction's.
class NoteStore {
 public:
  using Row = Note;
  using Filter = NoteFilter;
  static constexpr std::string_view kKind = "note";

  /// The registry must outlive the store; it tells whether an entity is there.
  explicit NoteStore(const journal::Registry& registry) : registry_(registry) {}

  static void normalise(Note& note);

  /// `key_taken` carries the live note that has the key.
  WriteResult<Note> insert_if_absent(journal::Appender& appender, Note note) const;
  /// The same for a row that was exported: a note outlives the entity that it is about, so that one
  /// need not be live here.
  WriteResult<Note> insert_exported(journal::Appender& appender, Note note) const;
  WriteResult<Note> replace_if_unchanged(journal::Appender& appender, Note note,
                                         const Expected& expected) const;
  WriteResult<Note> remove(journal::Appender& appender, Note note,
                           const Expected& expected) const;
  WriteResult<Note> restore(journal::Appender& appender, Note note,
                            const Expected& expected) const;

  /// Removes a deleted note and blanks its history. The answer has no row.
  WriteResult<Note> purge(journal::Appender& appender, NoteId id, const Expected& expected) const;

  std::optional<Note> find(storage::Transaction& transaction, std::string_view space,
                           NoteId id) const;
  /// The live note of that key.
  std::optional<Note> find_key(storage::Transaction& transaction, std::string_view space,
                               std::string_view key) const;
  Page<Note> list(storage::Transaction& transaction, std::string_view space,
                  const NoteFilter& filter, const PageRequest& page) const;
  std::uint64_t count(storage::Transaction& transaction, std::string_view space,
                      const NoteFilter& filter) const;
  /// Both must outlive it.
  static journal::RowMatcher matcher(std::string_view space, const NoteFilter& filter);
  /// Whether a note of that id is there and has not expired by then.
  static bool is_unexpired(storage::Transaction& transaction, std::string_view space, NoteId id,
                           Timestamp at);
  static journal::Source source();

  static void apply(const JsonObject& document, core::Fields mode, Note& note);
  /// The row under its struct's field names, times in microseconds, and about_is_deleted.
  static std::string to_json(const Note& note);
  /// The same as the journal and exports hold it: without the sequence and about_is_deleted.
  static std::string body(const Note& note);
  /// Reads what body() writes. Throws InvalidArgument naming the field.
  static Note from_json(const JsonObject& document);
  /// The row as an event left it. Throws Gone when it was purged since.
  Note from_event(storage::Transaction& transaction, std::string_view space,
                  const Event& event) const;

 private:
  std::optional<WriteResult<Note>> refusal(journal::Appender& appender, std::string_view write,
                                           const Note& note, bool about_is_new) const;
  WriteResult<Note> insert(journal::Appender& appender, Note note, bool about_is_new) const;
  WriteResult<Note> replace(journal::Appender& appender, Note note, const Expected& expected,
                            std::string_view op) const;
  /// The answer as find() would show its row.
  WriteResult<Note> seen(journal::Appender& appender, WriteResult<Note> result) const;
  /// A wrong id is an error, not an empty list.
  void require_known(storage::Transaction& transaction, std::string_view space,
                     const NoteFilter& filter) const;
  void look_up_about(storage::Transaction& transaction, std::string_view space, Note& note) const;

  const journal::Registry& registry_;
};

}  // namespace holdfast::notes
