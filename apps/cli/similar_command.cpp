#include <charconv>
#include <cmath>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "failure.h"
#include "model_report.h"
#include "row_kinds.h"
#include "row_text.h"
#include "session.h"
#include "text.h"
#include "vector_text.h"

namespace holdfast::cli {
namespace {

/// A row of the answer as it was at the answer's sequence; empty when it has been purged since, or
/// is of a kind that is shown by its id alone.
struct Shown {
  std::string json = "null";
  std::string title;
  std::string kind;  ///< the row's own, as in "person"
};

template <class Kind>
Shown show_row(const Space& space, const Uuid& id, Sequence seq) {
  try {
    const auto row = Kind::rows(space).as_of(typename Kind::RowId{id}, seq);
    if (!row) return {};
    Shown shown{.json = Kind::Rows::to_json(*row), .title = title(*row), .kind = ""};
    if constexpr (requires { row->kind; }) shown.kind = row->kind;
    return shown;
  } catch (const Gone&) {
    return {};
  } catch (const NotFound&) {
    return {};
  }
}

Shown show_item(const Space& space, const SimilarItem& item, Sequence seq) {
  if (item.kind == EntityKind::kName) return show_row<EntityKind>(space, item.id, seq);
  if (item.kind == NoteKind::kName) return show_row<NoteKind>(space, item.id, seq);
  if (item.kind == EdgeKind::kName) return show_row<EdgeKind>(space, item.id, seq);
  return {};
}

// --- what is asked ---

template <class Kind>
bool is_row(const Space& space, const Uuid& id) {
  return Kind::rows(space).find(typename Kind::RowId{id}).has_value();
}

/// The row of that id; "KIND:ID" says of which kind.
SimilarRow row_named(const Space& space, const std::string& text) {
  const auto colon = text.find(':');
  if (colon != std::string::npos) {
    return {.kind = text.substr(0, colon), .id = parse_uuid("id", text.substr(colon + 1))};
  }
  const Uuid id = parse_uuid("id", text);
  if (is_row<EntityKind>(space, id)) return {.kind = std::string(EntityKind::kName), .id = id};
  if (is_row<NoteKind>(space, id)) return {.kind = std::string(NoteKind::kName), .id = id};
  if (is_row<EdgeKind>(space, id)) return {.kind = std::string(EdgeKind::kName), .id = id};
  throw NotFound("row", text);
}

SimilarVector vector_given(const SimilarFlags& flags) {
  constexpr std::string_view kFile = "vector_file";
  SimilarVector given{.vector = flags.vector
                                    ? parse_vector("vector", *flags.vector)
                                    : parse_vector(kFile, read_source(kFile, *flags.vector_file))};
  if (flags.generation) {
    given.generation =
        parse_whole("generation", *flags.generation, "be a generation's number");
  }
  return given;
}

/// Flags that only one kind of row has.
bool has_entity_flags(const FilterOptions& filter) { return filter.name || filter.name_prefix; }
bool has_note_flags(const FilterOptions& filter) {
  return filter.key || filter.key_prefix || filter.about;
}
bool has_common_flags(const FilterOptions& filter) {
  return filter.kind || !filter.tags_any.empty() || !filter.tags_all.empty() ||
         !filter.where.empty() || filter.created_from || filter.created_to ||
         filter.changed_from || filter.changed_to || filter.include_expired;
}

SimilarFilter read_filter(const Space& space, const Options& options) {
  const FilterOptions& flags = options.filter;
  const std::string rows = options.similar.rows.value_or("");
  const bool of_entities = has_entity_flags(flags);
  const bool of_notes = has_note_flags(flags);
  if ((of_entities && (of_notes || rows == "note")) || (of_notes && rows == "entity")) {
    refuse_usage("--name and --name-prefix are of entities, --key, --key-prefix and --about of "
                 "notes: no row has both");
  }
  SimilarFilter filter;
  const bool any = !rows.empty() || of_entities || of_notes || has_common_flags(flags);
  if (any && rows != "note" && !of_notes) filter.entities = EntityKind::filter(space, flags);
  if (any && rows != "entity" && !of_entities) filter.notes = NoteKind::filter(space, flags);
  if (filter.notes && filter.notes->about && !space.entities().find(*filter.notes->about)) {
    throw NotFound("entity", to_string(*filter.notes->about));
  }
  for (const std::string& id : options.similar.ids) filter.ids.push_back(parse_uuid("ids", id));
  return filter;
}

SimilarRequest read_request(const Space& space, const Options& options) {
  const SimilarFlags& flags = options.similar;
  const int asked = int{flags.text.has_value()} + int{flags.id.has_value()} +
                    int{flags.vector.has_value()} + int{flags.vector_file.has_value()};
  if (asked != 1) refuse_usage("say what to: one of --text, --id, --vector, --vector-file");
  SimilarRequest request;
  if (flags.text) {
    request.query = *flags.text;
  } else if (flags.id) {
    request.query = row_named(space, *flags.id);
  } else {
    request.query = vector_given(flags);
  }
  request.model = model_named(space, flags.model.value_or(""));
  if (flags.k) request.k = parse_whole("k", *flags.k, "be 1 to 1,000");
  if (flags.ef) request.ef = parse_whole("ef", *flags.ef, "be 1 to 10,000");
  request.filter = read_filter(space, options);
  request.staleness = parse_staleness("stale", flags.stale);
  request.exact = flags.exact;
  return request;
}

// --- what is answered ---

/// The shortest decimal that reads back as the same float; JSON has no others.
std::string decimal(float value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string answer_json(const Space& space, const SimilarAnswer& answer) {
  std::vector<std::string> items;
  for (const SimilarItem& item : answer.items) {
    items.push_back(core::JsonWriter()
                        .string("kind", item.kind)
                        .string("id", to_string(item.id))
                        .unsigned_integer("chunk", item.chunk)
                        .raw("distance", decimal(item.distance))
                        .boolean("is_stale", item.is_stale)
                        .raw("row", show_item(space, item, answer.seq).json)
                        .finish());
  }
  return core::JsonWriter()
      .raw("model", json_string(answer.model))
      .unsigned_integer("generation", answer.generation)
      .unsigned_integer("seq", answer.seq)
      .string("searched", to_string(answer.searched))
      .raw("items", json_array(items))
      .unsigned_integer("stale_excluded", answer.stale_excluded)
      .unsigned_integer("pending", answer.pending)
      .boolean("is_query_stale", answer.is_query_stale)
      .finish();
}

std::string answer_text(const Space& space, const SimilarAnswer& answer) {
  constexpr std::size_t kTitleColumns = 60;
  Table table({{"DISTANCE", Align::right}, {"ROW"}, {"KIND"}, {"ID"}, {"TEXT"}, {"STATE"}});
  for (const SimilarItem& item : answer.items) {
    const Shown shown = show_item(space, item, answer.seq);
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.7g", static_cast<double>(item.distance));
    table.add({distance, item.kind, shown.kind, to_string(item.id),
               shortened(shown.title, kTitleColumns), item.is_stale ? "stale" : "current"});
  }
  std::string out = answer.items.empty() ? "" : table.text();
  out += counted(answer.items.size(), "row", "rows") + ", as of sequence " + grouped(answer.seq) +
         ", model " + printable(answer.model) + "\n";
  if (answer.stale_excluded > 0) {
    out += counted(answer.stale_excluded, "row was", "rows were") +
           " left out, as the text has changed since: --stale flag shows them\n";
  }
  if (answer.pending > 0) {
    out += counted(answer.pending, "change has", "changes have") +
           " yet to be taken in: `holdfast embed " + printable(answer.model) + "` does so\n";
  }
  if (answer.is_query_stale) out += "the row's own text has changed since its vectors were made\n";
  return out;
}

}  // namespace

void find_similar(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const SimilarAnswer answer = space.similar(read_request(space, options));
  session.print(session.json() ? answer_json(space, answer) : answer_text(space, answer));
}

}  // namespace holdfast::cli
