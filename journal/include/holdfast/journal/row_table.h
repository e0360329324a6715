#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/json_text.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/row_body.h>
#include <holdfast/journal/row_sql.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {

/// What RowTable needs to know of a kind of row; each store specialises it for its struct:
///   static const TableSpec spec;
///   static void bind(storage::Statement&, int first, const Row&);   // spec.columns, in order
///   static Row read(const storage::Row&, int first);                // likewise
///   static void write_body(core::JsonWriter&, const Row&);          // likewise
///   static std::vector<core::Field> fields(Row&);                   // reads them back
/// Every struct has id, created_at, revision, deleted_at and seq, which RowTable looks after.
template <class Row>
struct RowTraits;

/// Journaled rows under guard: the one place where a row is inserted or replaced, its event
/// appended beside it. The stores add their own rules around it.
template <class Row>
class RowTable {
 public:
  using Traits = RowTraits<Row>;
  using RowId = decltype(Row::id);

  static std::optional<Row> find(storage::Transaction& transaction, std::string_view space,
                                 RowId id) {
    auto select = transaction.prepare(sql().find);
    select.bind(space, id);
    if (!select.step()) return std::nullopt;
    return read(select.row());
  }

  static std::optional<Mark> mark(storage::Transaction& transaction, std::string_view space,
                                  RowId id) {
    auto select = transaction.prepare(sql().mark);
    select.bind(space, id);
    if (!select.step()) return std::nullopt;
    return Mark{.seq = select.template get<Sequence>(0),
                .deleted_at = select.template get<std::optional<Timestamp>>(1)};
  }

  /// Inserts `row` unless its id or a unique key of it is taken; then the outcome is `exists`,
  /// `purged` or, without `current`, `key_taken`, which the store explains.
  static WriteResult<Row> insert_if_absent(Appender& appender, Row row) {
    row.seq = appender.next_seq();
    auto insert = appender.transaction().prepare(sql().insert);
    bind_all(insert, appender.space(), row);
    if (insert.run() == 0) {
      WriteResult<Row> refused;
      refused.current = find(appender.transaction(), appender.space(), row.id);
      refused.outcome = refused.current ? Outcome::exists : Outcome::key_taken;
      return refused;
    }
    const RowId id = row.id;
    // Importers bring deleted rows too.
    const std::string_view op = row.deleted_at ? "create_deleted" : "create";
    auto result = recorded(appender, std::move(row), op, Appender::Stream::begins);
    if (result.outcome == Outcome::purged) {
      auto forget = appender.transaction().prepare(sql().forget);
      forget.bind(appender.space(), id);
      forget.run();
    }
    return result;
  }

  /// Replaces the row under the guard. `row` carries the new revision.
  static WriteResult<Row> replace_if_unchanged(Appender& appender, Row row,
                                               const Expected& expected, std::string_view op) {
    row.seq = appender.next_seq();
    if (!update(appender, sql().replace_in_place, row, expected) &&
        !update(appender, sql().replace, row, expected)) {
      return explain(find(appender.transaction(), appender.space(), row.id), row, expected,
                     Traits::spec.fixed);
    }
    return recorded(appender, std::move(row), op, Appender::Stream::continues);
  }

  /// The same for a row whose fixed columns change.
  static WriteResult<Row> move_if_unchanged(Appender& appender, Row row, const Expected& expected,
                                            std::string_view op) {
    static const std::string move = move_sql(Traits::spec);
    row.seq = appender.next_seq();
    if (!update(appender, move, row, expected)) {
      return explain(find(appender.transaction(), appender.space(), row.id), row, expected, {});
    }
    return recorded(appender, std::move(row), op, Appender::Stream::continues);
  }

  /// Removes a deleted row and blanks its bodies in the journal. The answer has no row.
  static WriteResult<Row> purge(Appender& appender, RowId id, const Expected& expected) {
    static const std::string text = erase_sql(Traits::spec);
    const Sequence seq = appender.next_seq();
    auto erase = appender.transaction().prepare(text);
    erase.bind(appender.space(), id, expected.revision, expected.deleted_at);
    WriteResult<Row> result;
    if (erase.run() == 0) return refuse_purge(appender, id, expected);
    appender.forget(Traits::spec.kind, id.uuid);
    appender.append({.kind = Traits::spec.kind,
                     .id = id.uuid,
                     .op = "purge",
                     .body = {},
                     .is_live = false});
    result.outcome = Outcome::applied;
    result.seq = seq;
    result.request_id = appender.request_id();
    return result;
  }

  /// The answer to an insert that a rule of the store forbids. That the row is there already comes
  /// first: the write named its absence.
  static WriteResult<Row> refuse_insert(Appender& appender, const Row& wanted,
                                        WriteResult<Row> broken_rule) {
    WriteResult<Row> refused;
    refused.outcome = Outcome::exists;
    refused.current = find(appender.transaction(), appender.space(), wanted.id);
    return refused.current ? std::move(refused) : std::move(broken_rule);
  }

  /// The answer to a replace that a rule of the store forbids. That the row has moved since it was
  /// read comes first: its writer must read again before the rule matters.
  static WriteResult<Row> refuse_replace(Appender& appender, const Row& wanted,
                                         const Expected& expected, WriteResult<Row> broken_rule) {
    WriteResult<Row> refused;
    refused.current = find(appender.transaction(), appender.space(), wanted.id);
    if (!refused.current) return refused;
    const Expected now{.revision = refused.current->revision,
                       .deleted_at = refused.current->deleted_at};
    refused.outcome = refusal(now, expected, wanted.revision);
    return refused.outcome == Outcome::applied ? std::move(broken_rule) : std::move(refused);
  }

  /// The row as the journal keeps it: every column but space and seq, which the event has.
  static std::string body(const Row& row) {
    core::JsonWriter out;
    out.string("id", to_string(row.id));
    Traits::write_body(out, row);
    out.integer("created_at", to_us(row.created_at)).integer("revision", row.revision.us);
    if (row.deleted_at) {
      out.integer("deleted_at", to_us(*row.deleted_at));
    } else {
      out.null("deleted_at");
    }
    return out.finish();
  }

  /// Reads what body() and json() write; every field must be there. Throws InvalidArgument.
  static Row from_json(const JsonObject& document) {
    Row row;
    auto fields = Traits::fields(row);
    add_common_fields(fields, row.id.uuid, row.created_at, row.revision, row.deleted_at, row.seq);
    read_body(document, fields);
    return row;
  }
  /// The row as an event left it. Throws Gone when it was purged since.
  static Row from_event(const Event& event) {
    if (!event.body) refuse_purged(event);
    Row row = from_json(JsonObject::trusted(*event.body));
    row.seq = event.seq;
    return row;
  }

  /// body() and the sequence: the row as front ends print it.
  static std::string json(const Row& row) {
    std::string text = body(row);
    text.pop_back();
    return text + ",\"seq\":" + std::to_string(row.seq) + "}";
  }

  static Row read(const storage::Row& from) {
    Row row = Traits::read(from, 5);
    row.id = from.get<RowId>(0);
    row.created_at = from.get<Timestamp>(1);
    row.revision = from.get<Revision>(2);
    row.deleted_at = from.get<std::optional<Timestamp>>(3);
    row.seq = from.get<Sequence>(4);
    return row;
  }
  /// "SELECT <the columns that read() takes> FROM <table>", for lists.
  static const std::string& select() { return sql().select; }

  static Source source() {
    return {.kind = Traits::spec.kind,
            .table = Traits::spec.table,
            .walk = &walk,
            .page = &page,
            .find = &find_stored,
            .check = {},
            .replay = &replay};
  }

  /// See Source::replay. Throws InvalidArgument for a body that is no row, or whose unique key
  /// another row has.
  static void replay(Appender& appender, const Event& event) {
    auto forget = appender.transaction().prepare(sql().forget);
    forget.bind(appender.space(), event.id);
    forget.run();
    if (event.body) {
      Row row = from_event(event);
      row.seq = appender.next_seq();
      auto insert = appender.transaction().prepare(sql().insert);
      bind_all(insert, appender.space(), row);
      if (insert.run() == 0) {
        throw InvalidArgument("body", *event.body, "not have a key that another row has");
      }
    }
    appender.replay(event);
  }

 private:
  static const RowSql& sql() {
    static const RowSql text(Traits::spec);
    return text;
  }

  static void bind_all(storage::Statement& statement, std::string_view space, const Row& row) {
    statement.bind_at(1, space)
        .bind_at(2, row.id)
        .bind_at(3, row.created_at)
        .bind_at(4, row.revision)
        .bind_at(5, row.deleted_at)
        .bind_at(6, row.seq);
    Traits::bind(statement, 7, row);
  }

  static bool update(Appender& appender, const std::string& text, const Row& row,
                     const Expected& expected) {
    auto statement = appender.transaction().prepare(text);
    bind_all(statement, appender.space(), row);
    statement.bind_at(Traits::spec.parameters() + 1, expected.revision);
    statement.bind_at(Traits::spec.parameters() + 2, expected.deleted_at);
    return statement.run() == 1;
  }

  static WriteResult<Row> recorded(Appender& appender, Row row, std::string_view op,
                                   Appender::Stream stream) {
    WriteResult<Row> result;
    result.outcome = Outcome::applied;
    result.seq = row.seq;
    result.request_id = appender.request_id();
    if (!appender.append({.kind = Traits::spec.kind,
                          .id = row.id.uuid,
                          .op = op,
                          .body = body(row),
                          .stream = stream,
                          .is_live = !row.deleted_at})) {
      WriteResult<Row> refused;
      refused.outcome = Outcome::purged;
      return refused;
    }
    result.current = std::move(row);
    return result;
  }

  /// `fixed` are the columns besides created_at that the write may not change.
  static WriteResult<Row> explain(std::optional<Row> current, const Row& wanted,
                                  const Expected& expected,
                                  const std::vector<std::string_view>& fixed) {
    WriteResult<Row> refused;
    if (current) {
      refused.outcome = refusal({.revision = current->revision, .deleted_at = current->deleted_at},
                                expected, wanted.revision);
      if (refused.outcome == Outcome::applied) {
        refuse_moved_identity(Traits::spec.kind, to_string(wanted.id), fixed);
      }
    }
    refused.current = std::move(current);
    return refused;
  }

  static WriteResult<Row> refuse_purge(Appender& appender, RowId id, const Expected& expected) {
    WriteResult<Row> refused;
    refused.current = find(appender.transaction(), appender.space(), id);
    if (!refused.current) {
      const bool was_here = is_purged(appender.transaction(), appender.space(),
                                      Traits::spec.kind, id.uuid);
      if (was_here) refused.outcome = Outcome::purged;
      return refused;
    }
    const Expected now{.revision = refused.current->revision,
                       .deleted_at = refused.current->deleted_at};
    refused.outcome = refusal(now, expected, Revision{now.revision.us + 1});
    if (refused.outcome == Outcome::applied) refused.outcome = Outcome::still_live;
    return refused;
  }

  /// A row that cannot be read has no text, which no event's body equals.
  static StoredRow stored(const storage::Row& from) {
    StoredRow row{.id = from.get<Uuid>(0),
                  .seq = from.get<Sequence>(4),
                  .body = {},
                  .is_live = from.is_null(3)};
    try {
      row.body = body(read(from));
    } catch (const Corrupt&) {
    }
    return row;
  }

  static void walk(storage::Transaction& transaction, std::string_view space,
                   const std::function<void(const StoredRow&)>& visit) {
    auto select = transaction.prepare(sql().walk);
    select.bind(space);
    while (select.step()) visit(stored(select.row()));
  }

  static std::vector<StoredRow> page(storage::Transaction& transaction, std::string_view space,
                                     const Uuid& after, std::size_t limit) {
    auto select = transaction.prepare(sql().page);
    select.bind(space, after, static_cast<std::uint64_t>(limit));
    std::vector<StoredRow> rows;
    while (select.step()) rows.push_back(stored(select.row()));
    return rows;
  }

  static std::optional<StoredRow> find_stored(storage::Transaction& transaction,
                                              std::string_view space, const Uuid& id) {
    auto select = transaction.prepare(sql().find);
    select.bind(space, id);
    if (!select.step()) return std::nullopt;
    return stored(select.row());
  }
};

}  // namespace holdfast::journal
