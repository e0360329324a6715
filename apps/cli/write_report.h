#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/journal/write_result.h>

#include "failure.h"
#include "row_text.h"
#include "session.h"
#include "text.h"

/// The answer of a write, for programs and for people: printed when the write did what was asked
/// or found it done, thrown as Refused otherwise.
namespace holdfast::cli {

/// How a command speaks of itself.
struct WriteWords {
  std::string_view done;     ///< "created"
  std::string_view already;  ///< what an `unchanged` one found: "is as asked already"
};

/// A result without its row's type.
struct WriteSummary {
  std::string_view kind;
  std::string id;
  Outcome outcome = Outcome::missing;
  std::string current_json = "null";
  std::string current_text{};  ///< empty without a row
  bool current_is_deleted = false;
  Sequence seq = 0;
  std::string request_id;
  std::string relation{};  ///< of an edge or a declaration, as far as it is known
  std::vector<EntityId> missing{};
  std::vector<EdgeId> edges{};
  std::vector<EdgeId> handed_over{};
  std::vector<EdgeId> kept_out{};
  std::vector<std::string> pending{};
  bool gave_vectors = false;
  bool repeated = false;
};

/// {"outcome","current","seq","request_id","repeated","pending","gave_vectors","missing","edges",
/// "handed_over","kept_out"}
std::string to_json(const WriteSummary& summary);
/// Adds "missing", "edges", "handed_over" and "kept_out".
void add_lists(core::JsonWriter& out, const WriteSummary& summary);
/// The lines about edges that went or came with an entity.
std::string edges_text(const WriteSummary& summary, std::string_view done);
/// The lines about vectors that were given, and about what has yet to take the write in.
std::string vectors_text(const WriteSummary& summary);
/// The line that says that the answer is an old one; empty for a new one.
std::string repeated_text(bool repeated);
/// What the outcome of a write means, without its row.
std::string meaning(const WriteSummary& summary);
[[noreturn]] void refuse(const WriteSummary& summary);

/// Empty for rows that have none.
template <class Row>
std::string relation_of(const Row& row) {
  if constexpr (requires { row.relation; }) {
    return row.relation;
  } else {
    return "";
  }
}

template <class Row>
WriteSummary summarise(const WriteResult<Row>& result, std::string_view kind) {
  return {.kind = kind,
          .id = "",
          .outcome = result.outcome,
          .seq = result.seq,
          .request_id = result.request_id,
          .missing = result.missing,
          .edges = result.edges,
          .handed_over = result.handed_over,
          .kept_out = result.kept_out,
          .pending = result.pending,
          .gave_vectors = result.gave_vectors,
          .repeated = result.repeated};
}

template <class Kind>
WriteSummary summarise(const WriteResult<typename Kind::Row>& result, const std::string& id) {
  WriteSummary summary = summarise(result, Kind::kName);
  summary.id = id;
  if (result.current) {
    summary.current_json = Kind::Rows::to_json(*result.current);
    summary.current_text = describe(*result.current);
    summary.current_is_deleted = result.current->deleted_at.has_value();
    summary.relation = relation_of(*result.current);
    if (id.empty()) summary.id = to_string(result.current->id);
  }
  return summary;
}

/// `id` is empty for a new row whose id the store chose; `relation` is the edge's that was given.
template <class Kind>
void report_write(Session& session, const WriteWords& words,
                  const WriteResult<typename Kind::Row>& result, const std::string& id,
                  const std::string& relation = "") {
  WriteSummary summary = summarise<Kind>(result, id);
  if (!relation.empty()) summary.relation = relation;
  if (!result.wrote() && result.outcome != Outcome::unchanged) refuse(summary);
  if (session.json()) return session.confirm(to_json(summary));
  const std::string name = std::string(Kind::kName) + " " + summary.id;
  const bool has_changed = result.applied() || result.outcome == Outcome::absorbed;
  if (!has_changed) {
    return session.confirm(name + " " + std::string(words.already) + "\n" + vectors_text(summary) +
                           repeated_text(result.repeated));
  }
  std::string text = std::string(words.done) + " " + name;
  if (result.current) {
    text += " " + title(*result.current) + "\n  revision " +
            std::to_string(result.current->revision.us) + ", sequence " +
            std::to_string(result.seq);
  }
  session.confirm(text + "\n" + edges_text(summary, words.done) + vectors_text(summary) +
                  repeated_text(result.repeated));
}

}  // namespace holdfast::cli
