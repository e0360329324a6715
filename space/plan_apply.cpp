#include "plan_apply.h"

#include "plan_run.h"
#include "writing.h"

namespace holdfast {
namespace {

/// Of a plan that was not applied nothing is there but what stands in its way.
void keep_only_conflicts(PlanResult& result) {
  for (StepResult& step : result.steps) {
    if (step.is_conflict) continue;
    const Outcome outcome = step.outcome == Outcome::applied ? Outcome::held : step.outcome;
    step = {};
    step.outcome = outcome;
  }
}

Outcome outcome_for_meter(const PlanResult& result) {
  if (!result.applied()) return Outcome::revision_moved;
  return result.wrote_something ? Outcome::applied : Outcome::unchanged;
}

}  // namespace

PlanEnd apply_plan(const Access& access, const notes::NoteStore& notes, const PlanRequest& request,
                   const WriteOptions& options) {
  const auto context = write_context(access, options);
  const Asked asked(options, request.what);
  PlanEnd end;
  const auto write = [&](journal::Appender& appender) {
    PlanRun run(appender, notes, request.plan, request.views);
    PlanResult result = run.run();
    end.moved_views = run.moved_views();
    return result;
  };
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        end = {};
        end.result = journal::in_space(transaction, context, [&](journal::Appender& appender) {
          return asked.in(appender, write, [&](const JsonObject& kept) {
            return repeated(transaction, access.space, notes, kept, context.request_id);
          });
        });
        return end.result.wrote() && !end.result.repeated ? storage::Verdict::keep
                                                          : storage::Verdict::undo;
      },
      context.request_id);
  if (!end.result.applied()) keep_only_conflicts(end.result);
  access.meter.wrote("plan", outcome_for_meter(end.result), end.result.repeated);
  return end;
}

PlanEnd check_plan(const Access& access, const notes::NoteStore& notes,
                   const PlanRequest& request) {
  const auto context = write_context(access);
  PlanEnd end;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        end.result = journal::in_space(transaction, context, [&](journal::Appender& appender) {
          PlanRun run(appender, notes, request.plan, request.views);
          PlanResult result = run.run();
          end.moved_views = run.moved_views();
          return result;
        });
        return storage::Verdict::undo;
      },
      context.request_id);
  keep_only_conflicts(end.result);
  if (end.result.applied()) end.result.outcome = PlanOutcome::checked;
  end.result.request_id.clear();
  return end;
}

std::optional<PlanResult> kept_plan(const Access& access, const notes::NoteStore& notes,
                                    const std::string& what, const WriteOptions& options) {
  if (options.request_id.empty()) return std::nullopt;
  const auto context = write_context(access, options);
  const Asked asked(options, [&] { return what; });
  PlanResult result;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        result = journal::in_space(transaction, context, [&](journal::Appender& appender) {
          return asked.in(
              appender, [](journal::Appender&) { return PlanResult{}; },
              [&](const JsonObject& kept) {
                return repeated(transaction, access.space, notes, kept, context.request_id);
              });
        });
        return storage::Verdict::undo;
      },
      context.request_id);
  if (!result.repeated) return std::nullopt;
  access.meter.wrote("plan", Outcome::unchanged, true);
  return result;
}

}  // namespace holdfast
