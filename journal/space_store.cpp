#include <holdfast/journal/space_store.h>

#include <holdfast/core/input.h>
#include <holdfast/journal/row_namespace.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/journal/row_table.h>

namespace holdfast::journal {

template <>
struct RowTraits<SpaceRow> {
  inline static const TableSpec spec{
      .kind = "space", .table = "spaces", .columns = {"settings"}, .fixed = {}, .indexed = {}};
  static void bind(storage::Statement& to, int first, const SpaceRow& row) {
    to.bind_at(first, row.settings.text());
  }
  static SpaceRow read(const storage::Row& from, int first) {
    SpaceRow row;
    row.settings = JsonObject::trusted(from.get<std::string>(first));
    return row;
  }
  static std::vector<core::Field> fields(SpaceRow& row) {
    return {{"settings", [&row](const JsonMember& m) {
               row.settings = core::object_field(m, core::Fields::set, {});
             }}};
  }
  static void write_body(core::JsonWriter& out, const SpaceRow& row) {
    out.raw("settings", row.settings.text());
  }
};

using Table = RowTable<SpaceRow>;

SpaceId space_id(std::string_view space) {
  return {uuid_v5(kRowNamespace, "space:" + std::string(space))};
}

WriteResult<SpaceRow> SpaceStore::insert_if_absent(storage::Transaction& transaction,
                                                   const WriteContext& context,
                                                   const JsonObject& settings) {
  SpaceRow row;
  row.id = space_id(context.space);
  row.settings = settings;
  row.created_at = context.environment.clock.now();
  row.revision = first_revision(row.created_at);
  row.seq = 1;
  auto insert = transaction.prepare(
      "INSERT INTO spaces (space, id, last_seq, last_at, settings, created_at, revision, seq)"
      " VALUES ($1, $2, 0, $3, $4, $5, $6, 1) ON CONFLICT DO NOTHING");
  insert.bind(context.space, row.id, row.created_at, settings.text(), row.created_at,
              row.revision);
  WriteResult<SpaceRow> result;
  if (insert.run() == 0) {
    result.outcome = Outcome::exists;
    result.current = find(transaction, context.space);
    return result;
  }
  result.seq = in_space(transaction, context, [&](Appender& appender) {
    return appender.append({.kind = Table::Traits::spec.kind,
                            .id = row.id.uuid,
                            .op = "create",
                            .body = Table::body(row),
                            .stream = Appender::Stream::begins});
  });
  result.outcome = Outcome::applied;
  result.current = std::move(row);
  result.request_id = context.request_id;
  return result;
}

WriteResult<SpaceRow> SpaceStore::replace_if_unchanged(Appender& appender, SpaceRow row,
                                                       const Expected& expected) {
  return Table::replace_if_unchanged(appender, std::move(row), expected, "replace");
}

SpaceRow SpaceStore::from_event(storage::Transaction&, std::string_view, const Event& event) {
  return Table::from_event(event);
}

std::optional<SpaceRow> SpaceStore::find(storage::Transaction& transaction,
                                         std::string_view space) {
  return Table::find(transaction, space, space_id(space));
}

Page<std::string> SpaceStore::names(storage::Transaction& transaction, const PageRequest& page) {
  core::check_limit("limit", page.limit);
  const auto filtered = [](std::string select, const std::string& after) {
    storage::Query query(std::move(select));
    query.where("deleted_at IS NULL").where("space > $", after);
    return query;
  };
  std::string after;
  if (!page.cursor.empty()) after = storage::read_cursor("spaces", page.cursor, 1).front();
  storage::Query query = filtered("SELECT space FROM spaces", after);
  query.append(" ORDER BY space LIMIT $", page.limit + 1);
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  Page<std::string> names;
  while (select.step()) names.items.push_back(select.get<std::string>(0));
  if (names.items.size() <= page.limit) return names;
  names.items.pop_back();
  names.next = storage::write_cursor("spaces", {names.items.back()});
  count_left_out(transaction, filtered("SELECT 1 FROM spaces", names.items.back()),
                 names.left_out, names.left_out_is_minimum);
  return names;
}

Source SpaceStore::source() { return Table::source(); }

}  // namespace holdfast::journal
