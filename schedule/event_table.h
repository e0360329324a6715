#pragma once

#include <holdfast/journal/row_table.h>
#include <holdfast/schedule/event.h>

namespace holdfast::journal {

template <>
struct RowTraits<ScheduledEvent> {
  static const TableSpec spec;
  static void bind(storage::Statement& to, int first, const ScheduledEvent& row);
  static ScheduledEvent read(const storage::Row& from, int first);
  static void write_body(core::JsonWriter& out, const ScheduledEvent& row);
  static std::vector<core::Field> fields(ScheduledEvent& row);
};

}  // namespace holdfast::journal

namespace holdfast::schedule {

using EventTable = journal::RowTable<ScheduledEvent>;

}  // namespace holdfast::schedule
