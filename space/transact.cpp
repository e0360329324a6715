#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/space/space.h>

#include "plan_apply.h"
#include "plan_run.h"
#include "transaction_state.h"
#include "writing.h"

namespace holdfast {
namespace {

constexpr const char* kRequest = "transact";  // reruns differ, so the id alone tells them apart

std::string describe(const PlanStep& step) {
  std::string text = std::string(to_string(step.op)) + " ";
  if (step.list) return text + step.list->to_json();
  text += std::string(to_string(step.kind)) + " ";
  if (step.value) return text + "by key " + *step.key + " = " + step.value->json();
  if (step.key) return text + "by key \"" + *step.key + "\"";
  return text + to_string(step.id);
}

std::string message(unsigned attempts, const std::vector<MovedRead>& moved) {
  constexpr std::size_t kNamedMax = 20;
  std::string text = "others changed what the transaction had read in each of " +
                     std::to_string(attempts) + " attempts; in the last one:";
  for (std::size_t i = 0; i < std::min(moved.size(), kNamedMax); ++i) {
    text += (i == 0 ? " " : "; ") + moved[i].what + ": " +
            std::string(to_string(moved[i].outcome));
  }
  if (moved.size() > kNamedMax) {
    text += "; and " + std::to_string(moved.size() - kNamedMax) + " more";
  }
  return text;
}

/// One run of the function, judged.
class Attempt {
 public:
  Attempt(const Access& access, const notes::NoteStore& notes, const TransactionState& state)
      : access_(access), notes_(notes), state_(state), plan_(access.environment.ids) {
    // The changes come first, so that an error that names one names it by its place among them.
    for (const PlanStep& step : state.changes.steps()) {
      plan_.count_as_written(step.id);
      plan_.add(step);
    }
    for (const PlanStep& step : state.reads.steps()) plan_.add(step);
  }

  /// What moved; empty when all that was read is as it was.
  std::vector<MovedRead> moved(const PlanEnd& end) const {
    std::vector<MovedRead> moved;
    const std::size_t changes = state_.changes.steps().size();
    for (std::size_t i = changes; i < plan_.steps().size(); ++i) {
      const StepResult& step = end.result.steps[i];
      if (!step.is_conflict) continue;
      moved.push_back({.what = describe(plan_.steps()[i]),
                       .outcome = step.outcome,
                       .current = step.current,
                       .expectation = plan_.steps()[i]});
    }
    for (const std::size_t view : end.moved_views) {
      moved.push_back({.what = state_.views[view].what + ", seen through " +
                               std::to_string(state_.views[view].after) + " own changes",
                       .outcome = Outcome::list_moved});
    }
    return moved;
  }

  PlanEnd apply(const WriteOptions& options) const {
    return apply_plan(access_, notes_, request(), options);
  }
  PlanEnd check() const { return check_plan(access_, notes_, request()); }

  /// What has moved by now, whatever becomes of the own changes.
  std::vector<MovedRead> moved_now() const {
    try {
      return moved(check());
    } catch (const InvalidArgument&) {
    } catch (const Full&) {
    }
    Plan reads(access_.environment.ids);
    for (const PlanStep& step : state_.reads.steps()) reads.add(step);
    PlanEnd end = check_plan(access_, notes_, {.plan = reads});
    end.result.steps.insert(end.result.steps.begin(), state_.changes.steps().size(), {});
    return moved(end);
  }

 private:
  PlanRequest request() const {
    return {.plan = plan_, .what = [] { return kRequest; }, .views = state_.views};
  }

  const Access& access_;
  const notes::NoteStore& notes_;
  const TransactionState& state_;
  Plan plan_;
};

/// The answer has a step for each change alone.
PlanResult of_changes(PlanResult result, std::size_t changes) {
  if (result.repeated) {
    std::erase_if(result.steps, [](const StepResult& s) { return s.outcome == Outcome::held; });
  } else {
    result.steps.resize(changes);
  }
  return result;
}

}  // namespace

TransactConflict::TransactConflict(unsigned attempts, std::vector<MovedRead> moved)
    : Conflict(message(attempts, moved)), moved_(std::move(moved)) {}

/// One call of Space::transact().
class Transacting {
 public:
  Transacting(const Space& space, const std::function<void(Transaction&)>& fn,
              const TransactOptions& options)
      : space_(space), fn_(fn), options_(options), write_{.request_id = options.request_id} {}

  PlanResult run() {
    for (unsigned tries = 0; tries < options_.attempts_max; ++tries) {
      if (tries > 0) {
        space_.access().meter.retried("plan");
        pause_before_retry(space_.access().environment, tries);
      }
      if (auto kept = kept_answer()) return std::move(*kept);
      Transaction transaction(space_);
      if (auto result = attempt(transaction)) return std::move(*result);
    }
    throw TransactConflict(options_.attempts_max, std::move(moved_));
  }

 private:
  std::optional<PlanResult> kept_answer() const {
    auto kept = kept_plan(space_.access(), space_.note_store(), kRequest, write_);
    if (kept) kept = of_changes(std::move(*kept), 0);
    return kept;
  }

  /// Absent when it must run again.
  std::optional<PlanResult> attempt(Transaction& transaction) {
    const TransactionState& state = *transaction.state_;
    std::exception_ptr thrown;
    try {
      fn_(transaction);
    } catch (const RunOver&) {
    } catch (...) {
      thrown = std::current_exception();
    }
    space_.access().environment.faults.at("transact.before_commit");
    const Attempt made(space_.access(), space_.note_store(), state);
    if (state.end != TransactionState::End::none) return stopped(state, made);
    if (!thrown) return finish(state, made);
    if (auto kept = kept_answer()) return kept;  // it may be why there was nothing to do
    moved_ = made.moved_now();
    if (moved_.empty()) std::rethrow_exception(thrown);
    return std::nullopt;
  }

  std::optional<PlanResult> finish(const TransactionState& state, const Attempt& made) {
    PlanEnd end;
    try {
      end = made.apply(write_);
    } catch (const InvalidArgument&) {
      moved_ = made.moved_now();
      if (moved_.empty()) throw;
      return std::nullopt;
    } catch (const Full&) {
      moved_ = made.moved_now();
      if (moved_.empty()) throw;
      return std::nullopt;
    }
    if (!end.result.applied()) {
      moved_ = made.moved(end);
      if (!moved_.empty()) return std::nullopt;
    }
    return of_changes(std::move(end.result), state.changes.steps().size());
  }

  /// A run that was stopped is never applied.
  std::optional<PlanResult> stopped(const TransactionState& state, const Attempt& made) {
    if (state.end == TransactionState::End::contradiction) {
      moved_ = made.moved_now();
      if (moved_.empty()) {
        moved_.push_back(
            {.what = describe(*state.contradiction), .expectation = state.contradiction});
      }
      return std::nullopt;
    }
    PlanEnd end = made.check();
    moved_ = made.moved(end);
    if (!moved_.empty() || end.result.outcome == PlanOutcome::checked) return std::nullopt;
    return of_changes(std::move(end.result), state.changes.steps().size());
  }

  const Space& space_;
  const std::function<void(Transaction&)>& fn_;
  const TransactOptions& options_;
  WriteOptions write_;
  std::vector<MovedRead> moved_;
};

PlanResult Space::transact(const std::function<void(Transaction&)>& fn,
                           const TransactOptions& options) const {
  if (!fn) throw InvalidArgument("transact", "", "have a function to run");
  if (options.attempts_max == 0) throw InvalidArgument("attempts_max", "0", "be at least 1");
  return Transacting(*this, fn, options).run();
}

}  // namespace holdfast
