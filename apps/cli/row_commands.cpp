#include <holdfast/core/error.h>

#include "commands.h"
#include "document.h"
#include "event_report.h"
#include "expect_report.h"
#include "page_report.h"
#include "row_kinds.h"
#include "write_report.h"

namespace holdfast::cli {
namespace {

template <class Kind>
typename Kind::RowId row_id(const std::string& text) {
  return Kind::RowId::parse("id", text);
}

template <class Row>
WriteResult<Row> already_so(Row row) {
  WriteResult<Row> result;
  result.outcome = Outcome::unchanged;
  result.current = std::move(row);
  return result;
}

/// The fields of a new row as its flags give them, or a document.
template <class Kind>
JsonObject new_row_document(const Options& options) {
  if (options.from) return read_document("from", *options.from);
  JsonObject document = fields_document(options.fields);
  for (const char* field : Kind::kRequired) {
    if (names(document, field)) continue;
    refuse_usage(std::string("--") + field + " is required, unless --from names a document");
  }
  return document;
}

/// What a row as `get` printed it says of the fields that the store sets must be so; at another
/// revision the write is refused anyway.
void require_untouched(const RowDocument& document, const JsonObject& current) {
  const auto members = current.members();
  for (const JsonMember& given : document.stored.members()) {
    if (given.key == "deleted_at" || given.key == "about_is_deleted") continue;
    for (const JsonMember& stored : members) {
      if (stored.key != given.key || stored.value == given.value) continue;
      throw InvalidArgument(given.key, std::string(given.value),
                            "stay " + std::string(stored.value) + ": the store sets it");
    }
  }
}

/// The revision that --revision and the document name; they must agree.
Revision revision_read(const Options& options, const RowDocument& document) {
  if (!options.revision && !document.revision) {
    refuse_usage("say which row was read: --revision N, or a document that has its revision");
  }
  if (!options.revision) return *document.revision;
  const Revision named = parse_revision(*options.revision);
  if (document.revision && *document.revision != named) {
    throw InvalidArgument("revision", *options.revision,
                          "be the document's, " + std::to_string(document.revision->us));
  }
  return named;
}

/// The row as it was: at a sequence, or, for a text that is more than digits, at a time.
template <class Kind>
typename Kind::Row as_of(const Space& space, typename Kind::RowId id, const std::string& text) {
  const bool is_sequence = text.find_first_not_of("0123456789") == std::string::npos;
  auto row = is_sequence ? Kind::rows(space).as_of(id, Sequence{parse_whole(
                                                           "as_of", text,
                                                           "be a sequence or a time")})
                         : Kind::rows(space).as_of(id, parse_timestamp("as_of", text));
  if (row) return std::move(*row);
  throw Refused({.exit_code = static_cast<int>(Exit::not_found),
                 .code = "not_found",
                 .message = std::string(Kind::kName) + " " + to_string(id) +
                            " did not exist yet at " + text,
                 .fields = {{"kind", json_string(Kind::kName)},
                            {"id", json_string(to_string(id))}}});
}

/// What --revision names: the row as it was read, with the deletion mark that it has now unless
/// that is named too.
template <class Kind>
std::optional<Expected> as_deleted(const typename Kind::Rows& rows, typename Kind::RowId id,
                                   const Options& options) {
  if (!options.revision) return std::nullopt;
  Expected expected{.revision = parse_revision(*options.revision), .deleted_at = {}};
  if (options.deleted_at) {
    expected.deleted_at = parse_timestamp("deleted_at", *options.deleted_at);
  } else if (options.request_id) {
    refuse_usage("--revision with --request-id needs --deleted-at too: asked again, when the row "
                 "has changed, it must ask for the same");
  } else if (const auto current = rows.find(id)) {
    expected.deleted_at = current->deleted_at;
  }
  return expected;
}

}  // namespace

template <class Kind>
void RowCommands<Kind>::create(Session& session, const Options& options) {
  typename Kind::Row row;
  Kind::apply(new_row_document<Kind>(options), core::Fields::set, row);
  if (options.new_id) {
    row.id = row_id<Kind>(*options.new_id);
    if (row.id.uuid.is_nil()) throw InvalidArgument("id", *options.new_id, "not be the nil UUID");
  }
  const Space space = session.space();
  report_write<Kind>(session, {.done = "created", .already = ""},
                     Kind::rows(space).insert_if_absent(row, write_options(options)),
                     options.new_id.value_or(""),
                     relation_of(row));
}

template <class Kind>
void RowCommands<Kind>::get(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const auto id = row_id<Kind>(options.id);
  if (options.expect) {
    // That there is none is what a plan that makes it rests on.
    Transaction reading(space);
    const auto row = reading.find(id);
    const auto answer = row ? Kind::Rows::to_json(*row) : R"({"id":null})";
    return print_with_expectations(session, answer, reading);
  }
  const auto row = options.as_of ? as_of<Kind>(space, id, *options.as_of)
                                 : Kind::rows(space).get(id);
  session.print(session.json() ? Kind::Rows::to_json(row) : describe(row));
}

template <class Kind>
void RowCommands<Kind>::list(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const auto filter = Kind::filter(space, options.filter);
  if (options.expect) {
    Transaction reading(space);
    const std::string answer =
        options.count
            ? core::JsonWriter().unsigned_integer("count", reading.count(filter)).finish()
            : page_json(reading.list(filter, page_request(options)), &Kind::Rows::to_json);
    return print_with_expectations(session, answer, reading);
  }
  if (options.count) {
    const std::uint64_t count = Kind::rows(space).count(filter);
    session.print(session.json() ? core::JsonWriter().unsigned_integer("count", count).finish()
                                 : std::to_string(count));
    return;
  }
  const auto page = Kind::rows(space).list(filter, page_request(options));
  if (session.json()) return session.print(page_json(page, &Kind::Rows::to_json));
  session.print((page.items.empty() ? "" : table(page.items)) +
                page_footer(page, Kind::kName, Kind::kPlural));
}

template <class Kind>
void RowCommands<Kind>::update(Session& session, const Options& options) {
  const JsonObject patch =
      options.patch ? read_argument("patch", *options.patch) : fields_document(options.fields);
  if (!options.patch && patch.text() == "{}") refuse_usage("say what to change: --patch or a flag");
  const Space space = session.space();
  report_write<Kind>(session, {.done = "updated", .already = "is as asked already; unchanged"},
                     Kind::rows(space).patch(row_id<Kind>(options.id), patch, {},
                                             write_options(options)),
                     options.id);
}

template <class Kind>
void RowCommands<Kind>::replace(Session& session, const Options& options) {
  const RowDocument document = read_row_document(options.from.value());
  Expected expected{.revision = revision_read(options, document),
                    .deleted_at = document.deleted_at};
  if (options.deleted_at) expected.deleted_at = parse_timestamp("deleted_at", *options.deleted_at);

  const Space space = session.space();
  const auto current = Kind::rows(space).get(row_id<Kind>(options.id));
  if (current.revision == expected.revision) {
    require_untouched(document, JsonObject::trusted(Kind::Rows::to_json(current)));
  }
  typename Kind::Row row;
  Kind::apply(document.fields, core::Fields::set, row);
  Kind::keep_fixed(row, current, document.fields);
  row.id = current.id;
  row.created_at = current.created_at;
  row.deleted_at = expected.deleted_at;
  report_write<Kind>(session, {.done = "replaced", .already = ""},
                     Kind::rows(space).replace(row, expected, write_options(options)), options.id,
                     relation_of(row));
}

template <class Kind>
void RowCommands<Kind>::remove(Session& session, const Options& options) {
  const Space space = session.space();
  const auto& rows = Kind::rows(space);
  const auto id = row_id<Kind>(options.id);
  const WriteWords words{.done = "deleted", .already = "is already deleted"};
  std::optional<Expected> expected;
  if (options.revision) {
    expected = {.revision = parse_revision(*options.revision), .deleted_at = {}};
    auto current = rows.find(id);
    if (current && current->deleted_at && current->revision == expected->revision) {
      return report_write<Kind>(session, words, already_so(std::move(*current)), options.id);
    }
  }
  report_write<Kind>(session, words, rows.remove(id, expected, write_options(options)),
                     options.id);
}

template <class Kind>
void RowCommands<Kind>::restore(Session& session, const Options& options) {
  const Space space = session.space();
  const auto& rows = Kind::rows(space);
  const auto id = row_id<Kind>(options.id);
  const WriteWords words{.done = "restored", .already = "is not deleted"};
  const auto expected = as_deleted<Kind>(rows, id, options);
  if (expected && !expected->deleted_at) {
    auto current = rows.find(id);
    if (current && !current->deleted_at && current->revision == expected->revision) {
      return report_write<Kind>(session, words, already_so(std::move(*current)), options.id);
    }
  }
  report_write<Kind>(session, words, rows.restore(id, expected, write_options(options)),
                     options.id);
}

template <class Kind>
void RowCommands<Kind>::purge(Session& session, const Options& options) {
  const Space space = session.space();
  const auto& rows = Kind::rows(space);
  const auto id = row_id<Kind>(options.id);
  auto result = rows.purge(id, as_deleted<Kind>(rows, id, options), write_options(options));
  // As deleting twice: what was asked for is so.
  if (result.outcome == Outcome::purged) result.outcome = Outcome::unchanged;
  report_write<Kind>(session, {.done = "purged", .already = "was purged already"}, result,
                     options.id);
}

template <class Kind>
void RowCommands<Kind>::history(Session& session, const Options& options) {
  const auto page =
      Kind::rows(session.reading_space()).history(row_id<Kind>(options.id), page_request(options));
  if (session.json()) {
    return session.print(page_json(page, [](const Event& event) { return to_json(event); }));
  }
  session.print(history_text(page.items) + page_footer(page, "change", "changes"));
}

template struct RowCommands<EntityKind>;
template struct RowCommands<EdgeKind>;
template struct RowCommands<NoteKind>;
// Scheduled events have commands of their own, but for these.
template void RowCommands<ScheduledKind>::remove(Session&, const Options&);
template void RowCommands<ScheduledKind>::restore(Session&, const Options&);
template void RowCommands<ScheduledKind>::purge(Session&, const Options&);
template void RowCommands<ScheduledKind>::history(Session&, const Options&);

}  // namespace holdfast::cli
