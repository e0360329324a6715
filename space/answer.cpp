#include "answer.h"

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>

namespace holdfast {
namespace {

std::string id_list(const std::vector<EdgeId>& ids) {
  std::string list = "[";
  for (const EdgeId id : ids) list += (list.size() > 1 ? ",\"" : "\"") + to_string(id) + "\"";
  return list + "]";
}

std::vector<EdgeId> read_ids(const JsonMember& member) {
  std::vector<EdgeId> ids;
  for (const std::string& text : core::string_list_field(member)) {
    ids.push_back(EdgeId::parse(member.key, text));
  }
  return ids;
}

}  // namespace

std::string to_json(const StoredAnswer& answer) {
  core::JsonWriter out;
  out.string("outcome", to_string(answer.outcome))
      .unsigned_integer("seq", answer.seq)
      .unsigned_integer("row_seq", answer.row_seq);
  if (!answer.edges.empty()) out.raw("edges", id_list(answer.edges));
  if (!answer.handed_over.empty()) out.raw("handed_over", id_list(answer.handed_over));
  if (!answer.kept_out.empty()) out.raw("kept_out", id_list(answer.kept_out));
  return out.finish();
}

StoredAnswer read_answer(const JsonObject& text) {
  StoredAnswer answer;
  const auto seq = [](const JsonMember& m) {
    return static_cast<Sequence>(core::integer_field(m));
  };
  try {
    core::apply_fields(
        text, {{"outcome", [&](const JsonMember& m) {
                  answer.outcome = parse_outcome(m.key, core::string_field(m));
                }},
               {"seq", [&](const JsonMember& m) { answer.seq = seq(m); }},
               {"row_seq", [&](const JsonMember& m) { answer.row_seq = seq(m); }},
               {"edges", [&](const JsonMember& m) { answer.edges = read_ids(m); }},
               {"handed_over", [&](const JsonMember& m) { answer.handed_over = read_ids(m); }},
               {"kept_out", [&](const JsonMember& m) { answer.kept_out = read_ids(m); }}});
  } catch (const InvalidArgument& error) {
    throw Corrupt(std::string("a stored answer cannot be read: ") + error.what());
  }
  return answer;
}

}  // namespace holdfast
