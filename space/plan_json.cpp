#include "plan_json.h"

#include <array>
#include <functional>
#include <map>
#include <set>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/limits.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/notes/note_store.h>

namespace holdfast {
namespace {

constexpr std::array kOps = {PlanOp::create,        PlanOp::insert_if_absent,
                             PlanOp::replace,       PlanOp::patch,
                             PlanOp::remove,        PlanOp::restore,
                             PlanOp::retarget,      PlanOp::expect_unchanged,
                             PlanOp::expect_absent, PlanOp::expect_neighborhood,
                             PlanOp::expect_key,    PlanOp::expect_list};
constexpr std::array kKinds = {RowKind::entity, RowKind::edge, RowKind::note};

template <class Named>
auto named_field(const JsonMember& member, const Named& all) {
  const std::string name = core::string_field(member);
  std::string known;
  for (const auto one : all) {
    if (to_string(one) == name) return one;
    known += (known.empty() ? "" : ", ") + std::string(to_string(one));
  }
  throw InvalidArgument(member.key, name, "be one of " + known);
}

Expected expect_field(const JsonMember& member) {
  Expected expected;
  if (!member.value.starts_with('{')) {
    throw InvalidArgument(member.key, std::string(member.value),
                          "be an object with the revision that was read");
  }
  core::apply_fields(
      JsonObject::trusted(std::string(member.value)),
      {{"revision",
        [&](const JsonMember& m) { expected.revision = {core::integer_field(m)}; }},
       {"deleted_at",
        [&](const JsonMember& m) { expected.deleted_at = core::optional_time_field(m); }}});
  if (expected.revision.us < 1) {
    throw InvalidArgument(member.key + ".revision", std::to_string(expected.revision.us),
                          "be the revision that was read");
  }
  return expected;
}

/// Reads one step after the other; knows the names that earlier ones gave to their rows.
class StepReader {
 public:
  /// `token` is the plan's, if it has one.
  StepReader(core::IdSource& ids, const std::optional<ReadToken>& token)
      : ids_(ids), token_(token) {}

  PlanStep read(const JsonObject& document) {
    step_ = {};
    fields_.clear();
    for (const JsonMember& member : document.members()) fields_.emplace(member.key, member.value);
    step_.op = named_field(take("op"), kOps);
    try {
      read_fields();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string(to_string(step_.op)) + ": " + error.field(),
                            error.value(), error.rule());
    }
    return std::move(step_);
  }

 private:
  void read_fields() {
    const PlanOp op = step_.op;
    const bool is_about_edge = op == PlanOp::retarget;
    const bool is_about_entity = op == PlanOp::expect_neighborhood || op == PlanOp::expect_key;
    step_.kind = is_about_edge ? RowKind::edge : RowKind::entity;
    if (op == PlanOp::expect_list) return read_list();
    if (!is_about_edge && !is_about_entity) {
      step_.kind = named_field(take("kind"), kKinds);
    } else if (has("kind")) {
      const JsonMember kind = take("kind");
      if (named_field(kind, kKinds) != step_.kind) {
        throw InvalidArgument("kind", std::string(kind.value), "be that of the op");
      }
    }
    if (op == PlanOp::expect_key) {
      read_key();
    } else if (op == PlanOp::create || op == PlanOp::insert_if_absent) {
      read_new_row();
    } else if (op == PlanOp::expect_absent && step_.kind == RowKind::note && has("key")) {
      step_.key = core::string_field(take("key"));
    } else {
      step_.id = read_id(take("id"));
    }
    if (op == PlanOp::replace) read_row(row_document());
    if (op == PlanOp::patch) step_.patch = with_ids(object("patch"));
    if (op == PlanOp::retarget) step_.move = EdgeMove::parse(with_ids(object("to")));
    if (op == PlanOp::expect_neighborhood) step_.seq = token_seq("seq");
    const bool may_expect = op == PlanOp::replace || op == PlanOp::patch ||
                            op == PlanOp::remove || op == PlanOp::restore ||
                            op == PlanOp::retarget;
    if (may_expect && has("expect")) step_.expected = expect_field(take("expect"));
    const bool may_give = op == PlanOp::create || op == PlanOp::insert_if_absent ||
                          op == PlanOp::replace || op == PlanOp::patch || op == PlanOp::restore;
    if (may_give && has("vectors")) read_vectors();
    if (op == PlanOp::expect_unchanged) read_unchanged();
    require_all_read();
  }

  void require_all_read() const {
    if (fields_.empty()) return;
    throw InvalidArgument(fields_.begin()->first, std::string(fields_.begin()->second),
                          "not be given here");
  }

  void read_vectors() {
    for (const JsonObject& document : core::object_list_field(take("vectors"))) {
      const std::string field = "vectors[" + std::to_string(step_.vectors.size()) + "].";
      try {
        step_.vectors.push_back(GivenVectors::parse(document));
      } catch (const InvalidArgument& error) {
        throw InvalidArgument(field + error.field(), error.value(), error.rule());
      }
    }
  }

  void read_unchanged() {
    if (step_.kind == RowKind::note && has("about_is_deleted")) {
      step_.about_is_deleted = core::boolean_field(take("about_is_deleted"));
    }
    if (has("expect") || (!has("since") && !token_)) {
      step_.expected = expect_field(take("expect"));
    } else {
      step_.since = token_seq("since");
    }
  }

  void read_key() {
    step_.key = core::string_field(take("key"));
    step_.value = KeyValue::parse("value", take("value").value);
    const JsonMember id = take("id");
    if (id.value != "null") step_.id = read_id(id);
  }

  void read_list() {
    try {
      step_.list = ListRequest::parse(object("list"));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument("list." + error.field(), error.value(), error.rule());
    }
    step_.kind = static_cast<RowKind>(step_.list->filter.index());
    step_.digest = core::string_field(take("digest"));
    require_all_read();
  }

  bool has(const std::string& name) const { return fields_.contains(name); }

  JsonMember take(const std::string& name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) throw InvalidArgument(name, "", "be given");
    JsonMember member{.key = name, .value = found->second};
    fields_.erase(found);
    return member;
  }

  JsonObject object(const std::string& name) {
    const JsonMember member = take(name);
    if (!member.value.starts_with('{')) {
      throw InvalidArgument(name, std::string(member.value), "be an object");
    }
    return JsonObject::trusted(std::string(member.value));
  }

  /// "$name" stands for the id of the row that an earlier step named so.
  Uuid read_id(const JsonMember& member) const {
    const std::string text = core::string_field(member);
    if (!text.starts_with('$')) return parse_uuid(member.key, text);
    const auto found = names_.find(text.substr(1));
    if (found != names_.end()) return found->second;
    throw InvalidArgument(member.key, text, "be the name that an earlier step gives with \"as\"");
  }

  /// The document with ids in place of names where a row refers to another.
  JsonObject with_ids(const JsonObject& document) const {
    core::JsonWriter out;
    for (const JsonMember& member : document.members()) {
      const bool is_reference =
          member.key == "source" || member.key == "target" || member.key == "about";
      if (is_reference && member.value.starts_with("\"$")) {
        out.string(member.key, to_string(read_id(member)));
      } else {
        out.raw(member.key, member.value);
      }
    }
    return JsonObject::trusted(out.finish());
  }

  JsonObject row_document() { return with_ids(object("row")); }

  void read_new_row() {
    const JsonObject row = row_document();
    core::JsonWriter rest;
    for (const JsonMember& member : row.members()) {
      if (member.key == "id") {
        step_.id = parse_uuid("row.id", core::string_field(member));
        if (step_.id.is_nil()) {
          throw InvalidArgument("row.id", core::string_field(member), "not be nil");
        }
      } else {
        rest.raw(member.key, member.value);
      }
    }
    if (step_.id.is_nil()) step_.id = ids_.next();
    read_row(JsonObject::trusted(rest.finish()));
    if (!has("as")) return;
    const std::string name = core::string_field(take("as"));
    if (name.empty()) throw InvalidArgument("as", name, "not be empty");
    if (!names_.emplace(name, step_.id).second) {
      throw InvalidArgument("as", name, "not be the name of an earlier step's row");
    }
  }

  template <class Store>
  void read_row_of(const JsonObject& document) {
    typename Store::Row row;
    row.id = {step_.id};
    try {
      Store::apply(document, core::Fields::set, row);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument("row." + error.field(), error.value(), error.rule());
    }
    step_.row = std::move(row);
  }
  void read_row(const JsonObject& document) {
    switch (step_.kind) {
      case RowKind::entity: return read_row_of<graph::EntityStore>(document);
      case RowKind::edge: return read_row_of<graph::EdgeStore>(document);
      case RowKind::note: return read_row_of<notes::NoteStore>(document);
    }
  }

  /// A sequence, or that of the plan's token.
  Sequence token_seq(const std::string& name) {
    if (!has(name) && token_) return token_->seq;
    const JsonMember member = take(name);
    const auto seq = core::integer_field(member);
    if (seq < 0) throw InvalidArgument(member.key, std::to_string(seq), "be 0 or more");
    return static_cast<Sequence>(seq);
  }

  core::IdSource& ids_;
  const std::optional<ReadToken>& token_;
  std::map<std::string, Uuid> names_;
  PlanStep step_;
  std::map<std::string, std::string_view> fields_;  ///< of the step, not yet read
};

std::string row_text(const AnyRow& row) {
  struct Body {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(const Entity& entity) const { return graph::EntityStore::body(entity); }
    std::string operator()(const Edge& edge) const { return graph::EdgeStore::body(edge); }
    std::string operator()(const Note& note) const { return notes::NoteStore::body(note); }
  };
  return std::visit(Body{}, row);
}

std::string to_json(const PlanStep& step) {
  core::JsonWriter out;
  out.string("op", to_string(step.op)).string("kind", to_string(step.kind));
  out.string("id", to_string(step.id)).raw("row", row_text(step.row));
  out.raw("patch", step.patch.text()).raw("to", step.move.to_json());
  if (step.key) out.string("key", *step.key);
  out.unsigned_integer("seq", step.seq);
  if (step.expected) {
    out.integer("revision", step.expected->revision.us);
    if (step.expected->deleted_at) out.integer("deleted_at", to_us(*step.expected->deleted_at));
  }
  if (step.since) out.unsigned_integer("since", *step.since);
  if (step.about_is_deleted) out.boolean("about_is_deleted", *step.about_is_deleted);
  if (step.value) out.raw("value", step.value->json());
  if (step.list) out.raw("list", step.list->to_json()).string("digest", step.digest);
  if (!step.vectors.empty()) out.string("vectors", text_of(step.vectors));
  return out.finish();
}

}  // namespace

PlanDocument read_plan(const JsonObject& document, core::IdSource& ids) {
  PlanDocument plan;
  std::vector<JsonObject> documents;
  bool has_steps = false;
  core::apply_fields(document, {{"read_token",
                                 [&](const JsonMember& m) {
                                   plan.read_token = ReadToken::parse(core::string_field(m));
                                 }},
                                {"steps", [&](const JsonMember& m) {
                                   has_steps = true;
                                   documents = core::object_list_field(m);
                                 }}});
  if (!has_steps) throw InvalidArgument("steps", "", "be given");
  if (documents.size() > core::kPlanStepsMax) {
    throw InvalidArgument("steps", std::to_string(documents.size()),
                          "be at most " + std::to_string(core::kPlanStepsMax));
  }
  std::vector<PlanStep>& steps = plan.steps;
  StepReader reader(ids, plan.read_token);
  for (const JsonObject& one : documents) {
    try {
      steps.push_back(reader.read(one));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument("steps[" + std::to_string(steps.size()) + "] " + error.field(),
                            error.value(), error.rule());
    }
  }
  return plan;
}

std::string to_json(const std::vector<PlanStep>& steps) {
  std::string text = "[";
  for (const PlanStep& step : steps) text += (text.size() > 1 ? ",\n" : "") + to_json(step);
  return text + "]";
}

}  // namespace holdfast
