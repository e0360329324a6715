#pragma once

#include <holdfast/journal/row_table.h>
#include <holdfast/notes/note.h>

namespace holdfast::journal {

template <>
struct RowTraits<Note> {
  static const TableSpec spec;
  static void bind(storage::Statement& to, int first, const Note& row);
  static Note read(const storage::Row& from, int first);
  static void write_body(core::JsonWriter& out, const Note& row);
  static std::vector<core::Field> fields(Note& row);
};

}  // namespace holdfast::journal

namespace holdfast::notes {

using NoteTable = journal::RowTable<Note>;

/// The fields that a caller may change.
std::vector<core::Field> note_fields(Note& note, core::Fields mode);

}  // namespace holdfast::notes
