#include "write_report.h"

#include <algorithm>

#include "style.h"

namespace holdfast::cli {
namespace {

template <class RowId>
std::string id_array(const std::vector<RowId>& ids) {
  std::vector<std::string> items;
  for (const RowId& id : ids) items.push_back(json_string(to_string(id)));
  return json_array(items);
}

std::string name_array(const std::vector<std::string>& names) {
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(json_string(name));
  return json_array(items);
}

template <class RowId>
std::string id_lines(const std::vector<RowId>& ids) {
  constexpr std::size_t kShownMax = 10;
  std::string out;
  for (std::size_t i = 0; i < std::min(ids.size(), kShownMax); ++i) {
    out += "    " + to_string(ids[i]) + "\n";
  }
  if (ids.size() > kShownMax) out += "    and " + grouped(ids.size() - kShownMax) + " more\n";
  return out;
}

std::string list_of_missing(const WriteSummary& summary) {
  std::string out;
  for (const EntityId id : summary.missing) out += (out.empty() ? "" : ", ") + to_string(id);
  return out;
}

/// `relation "knows"`
std::string relation_named(const WriteSummary& summary) {
  return summary.relation.empty() ? "the relation" : "relation \"" + summary.relation + "\"";
}

}  // namespace

std::string meaning(const WriteSummary& summary) {
  const std::string row = std::string(summary.kind) + " " + summary.id;
  switch (summary.outcome) {
    case Outcome::applied:
    case Outcome::unchanged:
    case Outcome::absorbed:
    case Outcome::held:
    case Outcome::not_evaluated: break;
    case Outcome::not_pending:
      return row + " has ended and cannot be cancelled; it was left as it is";
    case Outcome::exists:
      return row + " exists already" + (summary.current_is_deleted ? ", deleted" : "") +
             "; it was left as it is";
    case Outcome::key_taken:
      return (summary.kind == "edge" ? "a live edge holds the same triple from the same time"
                                     : "a live " + std::string(summary.kind) + " has this key") +
             std::string("; nothing was written");
    case Outcome::missing: return row + " does not exist";
    case Outcome::revision_moved:
      return row + " has changed since it was read; nothing was written";
    case Outcome::deletion_changed:
      return row + (summary.current_is_deleted ? " is deleted" : " is not deleted") +
             "; nothing was written";
    case Outcome::not_advanced:
      return row + " is already at the new revision or beyond; nothing was written";
    case Outcome::endpoint_missing:
      return "absent or deleted: entity " + list_of_missing(summary) + "; nothing was written";
    case Outcome::loop_refused:
      return "source and target are one entity, and " + relation_named(summary) +
             " does not allow loops; `holdfast relation declare NAME --loops` would";
    case Outcome::relation_undeclared:
      return relation_named(summary) +
             " is not declared, and this space takes declared relations only; see `holdfast "
             "relation declare`";
    case Outcome::overlaps:
      return "the same triple holds already in part of that time; nothing was written";
    case Outcome::kind_refused:
      return relation_named(summary) + " does not link entities of these kinds; see `holdfast "
             "relation list`";
    case Outcome::still_live: return row + " is live; delete it first, then purge it";
    case Outcome::purged: return row + " was purged, and its id is never used again";
    case Outcome::neighborhood_moved:
      return "an edge at " + row + " has changed since; nothing was written";
    case Outcome::key_moved:
      return "the key leads elsewhere, or nowhere, by now; nothing was written";
    case Outcome::list_moved:
      return "the list that the plan rests on has changed since; nothing was written";
    case Outcome::in_use:
      return "the declaration cannot change in this way while there are edges of " +
             relation_named(summary);
  }
  return "the write ended as " + std::string(to_string(summary.outcome));
}

namespace {

std::pair<Exit, std::string> exit_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::missing:
    case Outcome::endpoint_missing: return {Exit::not_found, "not_found"};
    case Outcome::loop_refused:
    case Outcome::kind_refused:
    case Outcome::relation_undeclared: return {Exit::invalid_input, "invalid_argument"};
    default: return {Exit::conflict, "conflict"};
  }
}

}  // namespace

std::string to_json(const WriteSummary& summary) {
  core::JsonWriter out;
  out.string("outcome", to_string(summary.outcome))
      .raw("current", summary.current_json)
      .unsigned_integer("seq", summary.seq)
      .string("request_id", summary.request_id)
      .boolean("repeated", summary.repeated)
      .raw("pending", name_array(summary.pending))
      .boolean("gave_vectors", summary.gave_vectors);
  add_lists(out, summary);
  return out.finish();
}

void add_lists(core::JsonWriter& out, const WriteSummary& summary) {
  out.raw("missing", id_array(summary.missing))
      .raw("edges", id_array(summary.edges))
      .raw("handed_over", id_array(summary.handed_over))
      .raw("kept_out", id_array(summary.kept_out));
}

std::string edges_text(const WriteSummary& summary, std::string_view done) {
  std::string out;
  const auto add = [&](const std::string& what, const std::vector<EdgeId>& edges) {
    if (edges.empty()) return;
    out += "  " + what + ": " + counted(edges.size(), "edge", "edges") + "\n" + id_lines(edges);
  };
  add(std::string(done) + " with it", summary.edges);
  add("still deleted, until their other end is restored", summary.handed_over);
  add("still deleted, since their place is taken or their relation refuses them",
      summary.kept_out);
  return out;
}

std::string vectors_text(const WriteSummary& summary) {
  std::string waiting;
  for (const std::string& name : summary.pending) {
    waiting += (waiting.empty() ? "" : ", ") + printable(name);
  }
  return std::string(summary.gave_vectors ? "  its vectors are kept with it\n" : "") +
         (waiting.empty() ? "" : "  yet to take it in: " + waiting + "\n");
}

std::string repeated_text(bool repeated) {
  return repeated ? "  this request was applied before; nothing was written now\n" : "";
}

void refuse(const WriteSummary& summary) {
  const auto [exit, code] = exit_of(summary.outcome);
  Failure failure{.exit_code = static_cast<int>(exit),
                  .code = code,
                  .message = meaning(summary),
                  .fields = {{"outcome", json_string(to_string(summary.outcome))},
                             {"kind", json_string(summary.kind)},
                             {"id", json_string(summary.id)},
                             {"current", summary.current_json},
                             {"missing", id_array(summary.missing)}}};
  if (!summary.current_text.empty()) {
    const bool is_another =
        summary.outcome == Outcome::key_taken || summary.outcome == Outcome::overlaps;
    failure.details = styled(Style::conflict, is_another ? "in the way:" : "it is now:") + "\n" +
                      summary.current_text;
  }
  throw Refused(std::move(failure));
}

}  // namespace holdfast::cli
