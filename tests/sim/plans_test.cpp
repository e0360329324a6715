#include <array>
#include <atomic>
#include <map>
#include <set>

#include "sim/system_store.h"
#include "support/catch.h"
#include "support/fixture.h"
#include "support/model.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr std::size_t kClients = 8;
constexpr std::size_t kPlansEach = 63;  // 504 in all

Uuid some_uuid(core::Random& random) {
  Uuid id;
  for (auto& byte : id.bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return id;
}

Entity person(EntityId id) {
  Entity entity;
  entity.id = id;
  entity.kind = "person";
  entity.name = "p";
  return entity;
}

/// A plan as its client made it, and what the client was told.
struct Told {
  std::vector<PlanStep> steps;
  std::vector<Outcome> outcomes{};
  bool is_applied = false;
  std::string request_id{};
  Sequence called_at = 0;    ///< where the journal ended before the call
  Sequence returned_at = 0;  ///< and after it
  std::string looked{};      ///< how the model would have ended it, where
};

/// Few rows, so that clients meet: the ids of all that may be there.
struct Pool {
  explicit Pool(std::uint64_t seed) {
    core::Random random(seed);
    for (auto& id : entities) id = {some_uuid(random)};
    for (auto& id : edges) id = {some_uuid(random)};
    for (auto& id : notes) id = {some_uuid(random)};
  }
  std::array<EntityId, 8> entities;
  std::array<EdgeId, 12> edges;
  std::array<NoteId, 6> notes;
};

class Client {
 public:
  Client(const Space& space, const Pool& pool, std::uint64_t seed)
      : space_(space), pool_(pool), random_(seed) {}

  void run() {
    for (std::size_t i = 0; i < kPlansEach; ++i) apply();
  }
  std::vector<Told> told;

 private:
  template <class Ids>
  auto pick(const Ids& ids) {
    return ids[random_.below(ids.size())];
  }

  /// What the client has read of a row: now, or a while ago.
  template <class Rows, class Id>
  std::optional<Expected> read(const Rows& rows, Id id) {
    if (random_.below(4) == 0) return std::nullopt;
    auto& known = known_[id.uuid];
    if (random_.below(8) > 0 || known.revision.us == 0) {
      if (const auto row = rows.find(id)) known = as_read(*row);
    }
    return known.revision.us == 0 ? std::nullopt : std::optional(known);
  }

  JsonObject patch() {
    return JsonObject::parse("patch", R"({"properties":{"n":)" +
                                          std::to_string(random_.below(100)) + "}}");
  }

  void add_entity_step(Plan& plan) {
    const EntityId id = pick(pool_.entities);
    const auto expected = read(space_.entities(), id);
    switch (random_.below(7)) {
      case 1:
        if (random_.below(3) == 0) {
          plan.create(person(id));
        } else {
          plan.insert_if_absent(person(id));
        }
        break;
      case 2:
        if (expected) plan.replace(person(id), expected);
        break;
      case 3: plan.remove(id, expected); break;
      case 4: plan.restore(id, expected); break;
      default: plan.patch(id, patch(), expected); break;
    }
  }

  void add_edge_step(Plan& plan) {
    const EdgeId id = pick(pool_.edges);
    const auto expected = read(space_.edges(), id);
    switch (random_.below(6)) {
      case 0:
      case 1: {
        Edge edge;
        edge.id = id;
        edge.source = pick(pool_.entities);
        edge.relation = random_.below(2) == 0 ? "knows" : "married_to";
        edge.target = pick(pool_.entities);
        plan.create(edge);
        break;
      }
      case 2: plan.remove(id, expected); break;
      case 3: plan.restore(id, expected); break;
      case 4: {
        EdgeMove move;
        move.target = pick(pool_.entities);
        plan.retarget(id, move, expected);
        break;
      }
      default: plan.patch(id, patch(), expected); break;
    }
  }

  void add_note_step(Plan& plan) {
    const NoteId id = pick(pool_.notes);
    const auto expected = read(space_.notes(), id);
    switch (random_.below(4)) {
      case 0: {
        Note note;
        note.id = id;
        note.kind = "observation";
        if (random_.below(2) == 0) note.key = "k" + std::to_string(random_.below(3));
        if (random_.below(2) == 0) note.about = pick(pool_.entities);
        plan.create(note);
        break;
      }
      case 1: plan.remove(id, expected); break;
      case 2: plan.restore(id, expected); break;
      default: plan.patch(id, patch(), expected); break;
    }
  }

  void add_expectation(Plan& plan) {
    const EntityId id = pick(pool_.entities);
    switch (random_.below(4)) {
      case 0: plan.expect_absent(id); break;
      case 1: plan.expect_key_absent("k" + std::to_string(random_.below(3))); break;
      case 2:
        if (const auto expected = read(space_.entities(), id)) plan.expect_unchanged(id, *expected);
        break;
      default: {
        const Sequence end = space_.tail().seq;
        plan.expect_neighborhood(id, end - std::min<Sequence>(end, random_.below(12)));
        break;
      }
    }
  }

  void apply() {
    Plan plan = space_.plan();
    const std::uint64_t steps = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < steps; ++i) {
      switch (random_.below(6)) {
        case 0:
        case 1: add_entity_step(plan); break;
        case 2:
        case 3: add_edge_step(plan); break;
        case 4: add_note_step(plan); break;
        default: add_expectation(plan); break;
      }
    }
    Told one{.steps = plan.steps(), .called_at = space_.tail().seq};
    const PlanResult result = space_.apply(plan);
    one.returned_at = space_.tail().seq;
    one.is_applied = result.wrote();
    one.request_id = result.request_id;
    for (const StepResult& step : result.steps) one.outcomes.push_back(step.outcome);
    told.push_back(std::move(one));
  }

  const Space& space_;
  const Pool& pool_;
  core::Random random_;
  std::map<Uuid, Expected> known_;
};

/// Replays the plans that landed on plain maps, in the journal's order, and looks at each place for
/// those that wrote nothing and may have been answered there.
class Explanation {
 public:
  Explanation(TestStore& store, ModelStore& model, std::vector<Told> told)
      : store_(store), model_(model), told_(std::move(told)) {
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (told_[i].is_applied) {
        applied_[told_[i].request_id] = i;
      } else {
        open_.insert(i);
      }
    }
  }

  std::string run() {
    const auto events = store_.space->tail(0, 10'000);
    Sequence at = model_.events().size();
    explain(at);
    while (at < events.size()) {
      const std::string& request = events[at].request_id;
      const auto found = applied_.find(request);
      if (found == applied_.end()) return "an event of no plan that landed";
      const Told& plan = told_[found->second];
      if (model_.apply(plan.steps) != plan.outcomes) return "a plan landed otherwise: " + request;
      const Sequence end = model_.events().size();
      for (; at < end; ++at) {
        if (at >= events.size() || events[at].request_id != request) return "a plan is not whole";
        if (events[at].id != model_.events()[at].id || events[at].op != model_.events()[at].op) {
          return "another event than the model's at " + std::to_string(at + 1);
        }
      }
      applied_.erase(found);
      explain(at);
    }
    if (!applied_.empty()) return "a plan that landed is not in the journal";
    return open_.empty() ? "" : "this fits no place: " + text(told_[*open_.begin()]);
  }

 private:
  static std::string text(const Told& plan) {
    std::string text = "between " + std::to_string(plan.called_at) + " and " +
                       std::to_string(plan.returned_at);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      text += ", " + std::string(to_string(plan.steps[i].op)) + " of " +
              std::string(to_string(plan.steps[i].kind)) + " " + to_string(plan.steps[i].id) +
              " ended " + std::string(to_string(plan.outcomes[i]));
    }
    return text + plan.looked;
  }

  void explain(Sequence at) {
    for (auto it = open_.begin(); it != open_.end();) {
      const Told& plan = told_[*it];
      bool fits = plan.called_at <= at && at <= plan.returned_at;
      if (fits) {
        ModelStore copy = model_;
        const auto outcomes = copy.apply(plan.steps);
        fits = outcomes == plan.outcomes;
        told_[*it].looked += "; at " + std::to_string(at) + ":";
        for (const Outcome outcome : outcomes) {
          told_[*it].looked += " " + std::string(to_string(outcome));
        }
      }
      it = fits ? open_.erase(it) : std::next(it);
    }
  }

  TestStore& store_;
  ModelStore& model_;
  std::vector<Told> told_;
  std::map<std::string, std::size_t> applied_;
  std::set<std::size_t> open_;
};

template <class Row, class Ids, class Rows>
void check_rows(const ModelStore& model, const Rows& rows, const Ids& ids) {
  for (const auto id : ids) CHECK((rows.find(id) == model.find<Row>(id)));
}

}  // namespace

TEST_CASE("every answer to 504 plans of eight clients is explained by the journal's order",
          "[sim][plan]") {
  std::size_t landed = 0;
  std::set<Outcome> seen;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    TestStore store(seed);
    ModelStore model(store.environment.clock, "main");
    Relation married;
    married.relation = "married_to";
    married.symmetric = true;
    REQUIRE(store.space->declare_relation(married).applied());
    REQUIRE(model.declare(married).applied());
    const Pool pool(seed);
    Plan first = store.space->plan();
    for (const EntityId id : pool.entities) first.create(person(id));
    REQUIRE(store.space->apply(first).applied());
    model.apply(first.steps());
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.push_back(std::make_unique<Client>(*store.space, pool, seed * 100 + i));
    }
    at_once(kClients, [&](std::size_t i) { clients[i]->run(); });

    std::vector<Told> told;
    for (const auto& client : clients) {
      for (Told& one : client->told) {
        landed += one.is_applied;
        seen.insert(one.outcomes.begin(), one.outcomes.end());
        told.push_back(std::move(one));
      }
    }
    CHECK(Explanation(store, model, std::move(told)).run() == "");
    check_rows<Entity>(model, store.space->entities(), pool.entities);
    check_rows<Edge>(model, store.space->edges(), pool.edges);
    check_rows<Note>(model, store.space->notes(), pool.notes);
    CHECK(store.store->verify().is_clean());
  }
  CAPTURE(landed);
  CHECK(landed > 100);
  // Which others come up is the threads' luck; the matrix and the guards have each of them.
  for (const Outcome outcome : {Outcome::applied, Outcome::held, Outcome::exists, Outcome::missing,
                                Outcome::revision_moved, Outcome::not_evaluated}) {
    CAPTURE(to_string(outcome));
    CHECK(seen.contains(outcome));
  }
}
