#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/key.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/notes/note.h>
#include <holdfast/space/edge_move.h>
#include <holdfast/space/list_request.h>
#include <holdfast/space/read_token.h>
#include <holdfast/vectors/given_vectors.h>

namespace holdfast {

enum class RowKind { entity, edge, note };
std::string_view to_string(RowKind kind);

/// Nothing, or a row of any kind.
using AnyRow = std::variant<std::monostate, Entity, Edge, Note>;

enum class PlanOp {
  create,               ///< refused when the id is there
  insert_if_absent,     ///< `exists` when the id is there, which is no conflict
  replace,
  patch,
  remove,               ///< "delete" in JSON
  restore,
  retarget,             ///< of an edge
  expect_unchanged,     ///< the row is as it was read
  expect_absent,        ///< no row has the id; or no live note has the key
  expect_neighborhood,  ///< no edge at the entity has changed since a sequence
  expect_key,           ///< a declared key leads to that entity, or to none
  expect_list,          ///< a list or count answers as it did
};
std::string_view to_string(PlanOp op);

/// One step; which fields count depends on `op`.
struct PlanStep {
  PlanOp op = PlanOp::create;
  RowKind kind = RowKind::entity;
  Uuid id;
  AnyRow row{};                      ///< create, insert_if_absent, replace
  JsonObject patch{};                ///< patch: RFC 7396 over the fields a caller may change
  EdgeMove move{};                   ///< retarget
  std::optional<Expected> expected{};  ///< what was read, before the plan
  std::optional<std::string> key{};  ///< expect_absent of a note; expect_key: the key's name
  Sequence seq = 0;                  ///< expect_neighborhood
  /// expect_unchanged without `expected`: the row has not changed after it.
  std::optional<Sequence> since{};
  /// expect_unchanged of a note: whether what it is about was deleted, as its reader was told.
  std::optional<bool> about_is_deleted{};
  std::optional<KeyValue> value{};   ///< expect_key; `id` is the entity's, nil for none
  std::optional<ListRequest> list{}; ///< expect_list
  std::string digest{};              ///< expect_list: of what it answered
  /// Of the row as the step leaves it; see WriteOptions::vectors.
  std::vector<GivenVectors> vectors{};
};

/// An expectation as docs/plan.schema.json has it, ready to be a step of a document. For no other
/// step.
std::string expectation_json(const PlanStep& step);

/// Changes that land together or not at all, and what they rest on: rows that they change, rows
/// that were only read, absences, neighbourhoods. `expected` always names a row as it was read
/// before the plan, whatever earlier steps do to it. Later steps may name ids that earlier ones
/// create. Up to 10,000 steps. Made by Space::plan(), applied by Space::apply().
/// Thread safety: none.
class Plan {
 public:
  /// `ids` makes the ids of new rows, and must outlive the plan.
  explicit Plan(core::IdSource& ids) : ids_(&ids) {}

  /// Reads the JSON form, docs/plan.schema.json. Throws InvalidArgument whose field names the
  /// step, its op and the field: "steps[3] create: row.name".
  static Plan parse(const JsonObject& document, core::IdSource& ids);

  /// A nil id is replaced by a fresh one, which is returned for later steps to name. Such an id
  /// does not tell one request from another: a process that makes the plan anew asks for the same.
  EntityId create(Entity row);
  EdgeId create(Edge row);
  NoteId create(Note row);
  EntityId insert_if_absent(Entity row);
  EdgeId insert_if_absent(Edge row);
  NoteId insert_if_absent(Note row);

  /// The row keeps created_at and, an edge, its triple and start, whatever is given for them.
  /// Without `expected` only for a row that an earlier step writes.
  Plan& replace(Entity row, const std::optional<Expected>& expected);
  Plan& replace(Edge row, const std::optional<Expected>& expected);
  Plan& replace(Note row, const std::optional<Expected>& expected);

  /// Without `expected` these change whatever is there.
  template <class Tag>
  Plan& patch(Id<Tag> id, JsonObject document, const std::optional<Expected>& expected = {}) {
    PlanStep step = named(PlanOp::patch, id, expected);
    step.patch = std::move(document);
    return add(std::move(step));
  }
  template <class Tag>
  Plan& remove(Id<Tag> id, const std::optional<Expected>& expected = {}) {
    return add(named(PlanOp::remove, id, expected));
  }
  template <class Tag>
  Plan& restore(Id<Tag> id, const std::optional<Expected>& expected = {}) {
    return add(named(PlanOp::restore, id, expected));
  }
  Plan& retarget(EdgeId id, EdgeMove to, const std::optional<Expected>& expected = {});

  template <class Tag>
  Plan& expect_unchanged(Id<Tag> id, const Expected& expected) {
    return add(named(PlanOp::expect_unchanged, id, expected));
  }
  template <class Tag>
  Plan& expect_absent(Id<Tag> id) {
    return add(named(PlanOp::expect_absent, id, std::nullopt));
  }
  Plan& expect_key_absent(std::string_view note_key);
  /// `seq` is what Space::neighborhood_seq() answered, or any later sequence of a read.
  Plan& expect_neighborhood(EntityId entity, Sequence seq);
  /// Also with what single reads answered; see Transaction::read_set().
  template <class Tag>
  Plan& expect_unchanged_since(Id<Tag> id, Sequence seq) {
    PlanStep step = named(PlanOp::expect_unchanged, id, std::nullopt);
    step.since = seq;
    return add(std::move(step));
  }
  Plan& expect_key(std::string_view name, const KeyValue& value,
                   const std::optional<EntityId>& entity);
  /// `request` has the time that it was asked at: NoteFilter::live_at.
  Plan& expect_list(ListRequest request, std::string digest);
  /// The plan is of what was read since Space::begin() gave this token.
  Plan& rest_on(ReadToken token);

  /// Brings vectors for the row of the step that was added last: one that leaves a live row.
  Plan& give(GivenVectors vectors);

  /// Adds a step as it is. Throws InvalidArgument for one that breaks the rules of input, and for
  /// the 10,001st.
  Plan& add(PlanStep step);
  /// A later replace() of the row may lack `expected`: an earlier step takes it along.
  void count_as_written(const Uuid& id) { written_.insert(id); }

  const std::vector<PlanStep>& steps() const noexcept { return steps_; }
  const std::optional<ReadToken>& read_token() const noexcept { return read_token_; }
  /// All that makes it this plan and no other, as text; what a request id stands for.
  std::string text() const;

 private:
  static RowKind kind_of(EntityId) { return RowKind::entity; }
  static RowKind kind_of(EdgeId) { return RowKind::edge; }
  static RowKind kind_of(NoteId) { return RowKind::note; }
  template <class Tag>
  static PlanStep named(PlanOp op, Id<Tag> id, const std::optional<Expected>& expected) {
    PlanStep step;
    step.op = op;
    step.kind = kind_of(id);
    step.id = id.uuid;
    step.expected = expected;
    return step;
  }
  template <class Row>
  auto insert(PlanOp op, Row row);
  template <class Row>
  Plan& replace_row(Row row, const std::optional<Expected>& expected);

  core::IdSource* ids_;
  std::vector<PlanStep> steps_;
  std::set<Uuid> written_;
  std::map<Uuid, std::size_t> made_;  ///< ids that were made here, by their number
  std::optional<ReadToken> read_token_;
  std::string source_;  ///< the document it was read from
};

/// What became of one step.
struct StepResult {
  /// After an applied plan as the single write would answer. Otherwise `held` where nothing stands
  /// in the way of it, and `not_evaluated` where it names a row of a step that was refused.
  Outcome outcome = Outcome::not_evaluated;
  bool is_conflict = false;  ///< this outcome keeps the plan from being applied
  /// After an applied plan the row as the step left it; in a conflict the row in the way.
  AnyRow current;
  Sequence seq = 0;
  std::vector<EntityId> missing;
  std::vector<EdgeId> edges;
  std::vector<EdgeId> handed_over;
  std::vector<EdgeId> kept_out;
};

/// How a plan ended.
enum class PlanOutcome {
  applied,  ///< every step landed
  refused,  ///< nothing was written; the conflicts are among the steps
  checked,  ///< a dry run that would have been applied
};
std::string_view to_string(PlanOutcome outcome);

struct [[nodiscard]] PlanResult {
  PlanOutcome outcome = PlanOutcome::refused;
  std::vector<StepResult> steps;  ///< one for each step, in their order
  std::string request_id;
  bool repeated = false;          ///< the request had been applied before; this is its answer
  bool wrote_something = false;
  bool applied() const { return outcome == PlanOutcome::applied; }
  bool wrote() const { return applied() && wrote_something; }
  /// Steps that were refused.
  std::size_t conflicts() const;
};

}  // namespace holdfast
