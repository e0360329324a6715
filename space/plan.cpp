#include <holdfast/space/plan.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/notes/note_store.h>

#include "plan_json.h"

namespace holdfast {
namespace {

PlanStep inserting(PlanOp op, Entity row) {
  return {.op = op, .kind = RowKind::entity, .id = row.id.uuid, .row = std::move(row)};
}
PlanStep inserting(PlanOp op, Edge row) {
  return {.op = op, .kind = RowKind::edge, .id = row.id.uuid, .row = std::move(row)};
}
PlanStep inserting(PlanOp op, Note row) {
  return {.op = op, .kind = RowKind::note, .id = row.id.uuid, .row = std::move(row)};
}

/// Puts the row of a step in stored form.
struct Normalise {
  void operator()(std::monostate) const {}
  void operator()(Entity& row) const { graph::EntityStore::normalise(row); }
  void operator()(Edge& row) const {
    // A replace keeps the stored triple, so a row from a document need not name it.
    if (is_replace && row.relation.empty()) return;
    graph::EdgeStore::normalise(row);
  }
  void operator()(Note& row) const { notes::NoteStore::normalise(row); }
  bool is_replace = false;
};

/// The text with the ids that were made for it replaced by their numbers.
std::string with_numbers(const std::string& text, const std::map<Uuid, std::size_t>& made) {
  constexpr std::size_t kIdChars = 36;
  std::string out;
  std::size_t kept_from = 0;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    const std::size_t end = at + 1 + kIdChars;
    if (end >= text.size() || text[end] != '"' || text[at + 9] != '-') continue;
    std::map<Uuid, std::size_t>::const_iterator found = made.end();
    try {
      found = made.find(parse_uuid("id", std::string_view(text).substr(at + 1, kIdChars)));
    } catch (const InvalidArgument&) {
      continue;  // a text of that length
    }
    if (found == made.end()) continue;
    out += text.substr(kept_from, at + 1 - kept_from) + "$" + std::to_string(found->second);
    kept_from = end;
  }
  return out + text.substr(kept_from);
}

void check_list(const PlanStep& step) {
  const auto* const notes = std::get_if<NoteFilter>(&step.list->filter);
  if (notes != nullptr && !notes->live_at) {
    throw InvalidArgument("list.filter.live_at", "", "be the time that the list was read at");
  }
  if (step.digest.empty()) throw InvalidArgument("digest", "", "be that of the answer");
}

/// Whether a step of that op leaves a row that vectors can be of.
bool may_give(PlanOp op) {
  return op == PlanOp::create || op == PlanOp::insert_if_absent || op == PlanOp::replace ||
         op == PlanOp::patch || op == PlanOp::restore || op == PlanOp::retarget;
}

void check_vectors(const PlanStep& step) {
  if (!step.vectors.empty() && !may_give(step.op)) {
    throw InvalidArgument("vectors", std::to_string(step.vectors.size()),
                          "not be given with a step that leaves no live row");
  }
  check_given_vectors("vectors", step.vectors);
}

void check(PlanStep& step) {
  check_vectors(step);
  try {
    std::visit(Normalise{step.op == PlanOp::replace}, step.row);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("row." + error.field(), error.value(), error.rule());
  }
  if (step.key) step.key = core::check_name("key", *step.key);
  if (step.move.relation) step.move.relation = core::check_name("relation", *step.move.relation);
  if (step.list) return check_list(step);
  if (step.id.is_nil() && !step.key) throw InvalidArgument("id", "", "be given");
}

}  // namespace

std::string_view to_string(RowKind kind) {
  switch (kind) {
    case RowKind::entity: return "entity";
    case RowKind::edge: return "edge";
    case RowKind::note: return "note";
  }
  return "unknown";
}

std::string_view to_string(PlanOp op) {
  switch (op) {
    case PlanOp::create: return "create";
    case PlanOp::insert_if_absent: return "insert_if_absent";
    case PlanOp::replace: return "replace";
    case PlanOp::patch: return "patch";
    case PlanOp::remove: return "delete";
    case PlanOp::restore: return "restore";
    case PlanOp::retarget: return "retarget";
    case PlanOp::expect_unchanged: return "expect_unchanged";
    case PlanOp::expect_absent: return "expect_absent";
    case PlanOp::expect_neighborhood: return "expect_neighborhood";
    case PlanOp::expect_key: return "expect_key";
    case PlanOp::expect_list: return "expect_list";
  }
  return "unknown";
}

std::string_view to_string(PlanOutcome outcome) {
  switch (outcome) {
    case PlanOutcome::applied: return "applied";
    case PlanOutcome::refused: return "refused";
    case PlanOutcome::checked: return "checked";
  }
  return "unknown";
}

Plan& Plan::add(PlanStep step) {
  const std::string place =
      "steps[" + std::to_string(steps_.size()) + "] " + std::string(to_string(step.op)) + ": ";
  if (steps_.size() == core::kPlanStepsMax) {
    throw InvalidArgument("steps", std::to_string(steps_.size() + 1),
                          "be at most " + std::to_string(core::kPlanStepsMax));
  }
  try {
    check(step);
    if (step.op == PlanOp::replace && !step.expected && !written_.contains(step.id)) {
      throw InvalidArgument("expect", "", "name the revision that was read");
    }
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(place + error.field(), error.value(), error.rule());
  }
  written_.insert(step.id);
  steps_.push_back(std::move(step));
  source_.clear();
  return *this;
}

template <class Row>
auto Plan::insert(PlanOp op, Row row) {
  if (row.id.uuid.is_nil()) {
    row.id = {ids_->next()};
    made_.emplace(row.id.uuid, made_.size());
  }
  const auto id = row.id;
  add(inserting(op, std::move(row)));
  return id;
}

EntityId Plan::create(Entity row) { return insert(PlanOp::create, std::move(row)); }
EdgeId Plan::create(Edge row) { return insert(PlanOp::create, std::move(row)); }
NoteId Plan::create(Note row) { return insert(PlanOp::create, std::move(row)); }
EntityId Plan::insert_if_absent(Entity row) {
  return insert(PlanOp::insert_if_absent, std::move(row));
}
EdgeId Plan::insert_if_absent(Edge row) { return insert(PlanOp::insert_if_absent, std::move(row)); }
NoteId Plan::insert_if_absent(Note row) { return insert(PlanOp::insert_if_absent, std::move(row)); }

template <class Row>
Plan& Plan::replace_row(Row row, const std::optional<Expected>& expected) {
  PlanStep step = inserting(PlanOp::replace, std::move(row));
  step.expected = expected;
  return add(std::move(step));
}

Plan& Plan::replace(Entity row, const std::optional<Expected>& expected) {
  return replace_row(std::move(row), expected);
}
Plan& Plan::replace(Edge row, const std::optional<Expected>& expected) {
  return replace_row(std::move(row), expected);
}
Plan& Plan::replace(Note row, const std::optional<Expected>& expected) {
  return replace_row(std::move(row), expected);
}

Plan& Plan::give(GivenVectors vectors) {
  if (steps_.empty()) throw InvalidArgument("steps", "0", "have one that vectors are given for");
  PlanStep step = steps_.back();
  step.vectors.push_back(std::move(vectors));
  try {
    check_vectors(step);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("steps[" + std::to_string(steps_.size() - 1) + "] " +
                              std::string(to_string(step.op)) + ": " + error.field(),
                          error.value(), error.rule());
  }
  steps_.back() = std::move(step);
  source_.clear();
  return *this;
}

Plan& Plan::retarget(EdgeId id, EdgeMove to, const std::optional<Expected>& expected) {
  PlanStep step = named(PlanOp::retarget, id, expected);
  step.move = std::move(to);
  return add(std::move(step));
}

Plan& Plan::expect_key_absent(std::string_view note_key) {
  PlanStep step;
  step.op = PlanOp::expect_absent;
  step.kind = RowKind::note;
  step.key = note_key;
  return add(std::move(step));
}

Plan& Plan::expect_neighborhood(EntityId entity, Sequence seq) {
  PlanStep step = named(PlanOp::expect_neighborhood, entity, std::nullopt);
  step.seq = seq;
  return add(std::move(step));
}

Plan& Plan::expect_key(std::string_view name, const KeyValue& value,
                       const std::optional<EntityId>& entity) {
  PlanStep step = named(PlanOp::expect_key, entity.value_or(EntityId{}), std::nullopt);
  step.key = name;
  step.value = value;
  return add(std::move(step));
}

Plan& Plan::expect_list(ListRequest request, std::string digest) {
  PlanStep step;
  step.op = PlanOp::expect_list;
  step.kind = static_cast<RowKind>(request.filter.index());
  step.list = std::move(request);
  step.digest = std::move(digest);
  return add(std::move(step));
}

Plan& Plan::rest_on(ReadToken token) {
  read_token_ = std::move(token);
  source_.clear();
  return *this;
}

Plan Plan::parse(const JsonObject& document, core::IdSource& ids) {
  Plan plan(ids);
  PlanDocument read = read_plan(document, ids);
  for (PlanStep& step : read.steps) plan.add(std::move(step));
  plan.read_token_ = std::move(read.read_token);
  plan.source_ = document.text();
  return plan;
}

std::string Plan::text() const {
  if (!source_.empty()) return source_;
  return (read_token_ ? to_string(*read_token_) + "\n" : "") +
         with_numbers(to_json(steps_), made_);
}

std::size_t PlanResult::conflicts() const {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [](const StepResult& s) { return s.is_conflict; }));
}

}  // namespace holdfast
