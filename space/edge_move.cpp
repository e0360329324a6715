#include <holdfast/space/edge_move.h>

#include <holdfast/core/json_fields.h>

namespace holdfast {
namespace {

void write_end(core::JsonWriter& out, std::string_view name,
               const std::optional<std::optional<Timestamp>>& end) {
  if (!end) return;
  if (*end) {
    out.integer(name, to_us(**end));
  } else {
    out.null(name);
  }
}

}  // namespace

void EdgeMove::apply(Edge& edge) const {
  if (source) edge.source = *source;
  if (relation) edge.relation = *relation;
  if (target) edge.target = *target;
  if (valid_from) edge.valid_from = *valid_from;
  if (valid_to) edge.valid_to = *valid_to;
}

EdgeMove EdgeMove::parse(const JsonObject& document) {
  EdgeMove move;
  core::apply_fields(
      document,
      {{"source", [&](const JsonMember& m) { move.source = EntityId{core::id_field(m)}; }},
       {"relation", [&](const JsonMember& m) { move.relation = core::string_field(m); }},
       {"target", [&](const JsonMember& m) { move.target = EntityId{core::id_field(m)}; }},
       {"valid_from", [&](const JsonMember& m) { move.valid_from = core::optional_time_field(m); }},
       {"valid_to", [&](const JsonMember& m) { move.valid_to = core::optional_time_field(m); }}});
  return move;
}

std::string EdgeMove::to_json() const {
  core::JsonWriter out;
  if (source) out.string("source", to_string(*source));
  if (relation) out.string("relation", *relation);
  if (target) out.string("target", to_string(*target));
  write_end(out, "valid_from", valid_from);
  write_end(out, "valid_to", valid_to);
  return out.finish();
}

}  // namespace holdfast
