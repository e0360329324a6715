#include "carrier.h"

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/mask.h>
#include <holdfast/journal/journal.h>

#include "apart.h"
#include "plan_action.h"

namespace holdfast::scheduler {
namespace {

using Again = Ending::Again;

Ending not_begun(std::string why, Again again) {
  return {.end = {.state = AttemptState::not_invoked,
                  .effect = Effect::not_committed,
                  .error = core::mask_credentials(why)},
          .again = again};
}

Ending failed(Effect effect, std::string_view why) {
  // What is neither done nor undone for certain is told apart from a plain failure.
  const auto state =
      effect == Effect::unknown ? AttemptState::indeterminate : AttemptState::failed;
  return {.end = {.state = state, .effect = effect, .error = core::mask_credentials(why)},
          .again = effect == Effect::not_committed ? Again::later : Again::no};
}

/// Of what is not to happen.
std::optional<Ending> ending_of(const Admission& admission) {
  if (admission.verdict == Admit::fire) return std::nullopt;
  if (admission.verdict == Admit::refuse) return not_begun(admission.error, Again::no);
  return Ending{.end = {.state = AttemptState::missed, .effect = {}, .error = {}}};
}

std::optional<schedule::AttemptEnd> end_of(const std::optional<Ending>& ending) {
  if (!ending) return std::nullopt;
  return ending->end;
}

std::string action_name(const ScheduledEvent& event) {
  for (const JsonMember& member : event.payload.members()) {
    if (member.key == "action") return core::string_field(member);
  }
  return "";
}

}  // namespace

Carrier::Carrier(const Space& space, const Handlers& handlers, const SchedulerOptions& options,
                 const std::string& worker, LeaseKeeper& keeper, Tally& tally)
    : space_(space),
      handlers_(handlers),
      options_(options),
      worker_(worker),
      keeper_(keeper),
      tally_(tally) {}

void Carrier::at(std::string_view point) const { space_.access().environment.faults.at(point); }
Timestamp Carrier::now() const { return space_.access().environment.clock.now(); }

journal::WriteContext Carrier::context(const Attempt& attempt) const {
  return {.space = space_.name(),
          .actor = space_.access().actor,
          .request_id = to_string(attempt.invocation),
          .environment = space_.access().environment,
          .registry = space_.access().registry};
}

bool Carrier::is_plan(const ScheduledEvent& event) const {
  return scheduler::is_plan(event, handlers_.reminder.has_value());
}

const Handler* Carrier::handler_of(const ScheduledEvent& event) const {
  if (event.kind == EventKind::remind) {
    return handlers_.reminder ? &*handlers_.reminder : nullptr;
  }
  const auto found = handlers_.actions.find(action_name(event));
  return found == handlers_.actions.end() ? nullptr : &found->second;
}

std::vector<Carried> Carrier::reclaim(const std::vector<ScheduledEventId>& events) {
  std::vector<Carried> taken;
  space_.access().database.writer().submit(
      [&](storage::Transaction& transaction) {
        taken.clear();
        for (const ScheduledEventId event : events) {
          std::optional<schedule::Claim> claim;
          const bool is_done = apart(transaction, [&] {
            claim = schedule::take_over(transaction, space_.name(), event, worker_, now(),
                                        options_.lease);
          });
          if (is_done && claim) taken.push_back({.claim = std::move(*claim)});
        }
        return storage::Verdict::keep;
      },
      worker_);
  for (Carried& carried : taken) carried.ending = ending_of_receipt(carried.claim.attempt);
  tally_.add({.reclaimed = taken.size()});
  return taken;
}

Ending Carrier::ending_of_receipt(const Attempt& attempt) const {
  if (attempt.occurrence != schedule::occurrence_id(attempt.event, attempt.trigger_at)) {
    return failed(Effect::unknown, "its receipt is that of another occurrence");
  }
  if (attempt.state == AttemptState::claimed) {
    return not_begun("its worker was lost before it began", Again::now);
  }
  if (attempt.state == AttemptState::invoking) {
    Ending lost = failed(Effect::unknown, "its worker was lost while it was at work");
    if (attempt.is_idempotent) lost.again = Again::later;
    return lost;
  }
  const bool did_nothing = attempt.state == AttemptState::failed &&
                           attempt.effect == Effect::not_committed;
  return {.end = {.state = attempt.state, .effect = attempt.effect, .error = attempt.error},
          .again = did_nothing ? Again::later : Again::no};
}

std::vector<Carried> Carrier::claim(const std::vector<Admitted>& admitted) {
  at("scheduler.claim");
  std::vector<Carried> claimed;
  const Access& access = space_.access();
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        claimed.clear();
        for (const auto& [event, admission] : admitted) {
          std::optional<schedule::Claim> claim;
          const std::optional<Ending> ending = ending_of(admission);
          const schedule::ClaimRequest request{.event = event,
                                               .trigger_at = admission.trigger_at,
                                               .passed_over = admission.passed_over,
                                               .invocation = access.environment.ids.next(),
                                               .worker = worker_,
                                               .lease = options_.lease,
                                               .end = end_of(ending)};
          const bool is_done = apart(transaction, [&] {
            claim = schedule::claim_event(transaction, space_.name(), request, now());
          });
          if (!is_done || !claim) continue;
          claimed.push_back({.claim = std::move(*claim), .ending = ending});
        }
        return claimed.empty() ? storage::Verdict::undo : storage::Verdict::keep;
      },
      worker_);
  tally_.add({.claimed = claimed.size(), .skipped_race = admitted.size() - claimed.size()});
  return claimed;
}

bool Carrier::store(const std::function<bool(storage::Transaction&)>& change,
                    const Attempt& attempt) {
  bool stored = false;
  space_.access().database.writer().submit(
      [&](storage::Transaction& transaction) {
        stored = change(transaction);
        return stored ? storage::Verdict::keep : storage::Verdict::undo;
      },
      to_string(attempt.invocation));
  if (!stored) tally_.add({.fenced = 1});
  return stored;
}

void Carrier::find_creators(std::vector<Carried>& open) const {
  const auto snapshot = space_.access().database.snapshot();
  for (Carried& carried : open) {
    carried.creator = journal::creator_of(snapshot->transaction(), space_.name(),
                                          schedule::EventStore::kKind,
                                          carried.claim.attempt.event.uuid)
                          .value_or("");
  }
}

std::optional<Ending> Carrier::denial(const Carried& carried) const {
  const schedule::Claim& claim = carried.claim;
  if (carried.creator.empty()) {
    return not_begun("who created the event is not known: it has no first event in the journal",
                     Again::no);
  }
  if (!handlers_.authorize) return std::nullopt;
  const auto why = handlers_.authorize({.space = space_.name(),
                                        .event = claim.event,
                                        .attempt = claim.attempt,
                                        .actor = carried.creator,
                                        .stop = {},
                                        .keep_alive = [] { return true; }});
  if (!why) return std::nullopt;
  return failed(Effect::not_committed, "denied to " + carried.creator + ": " + *why);
}

Ending Carrier::call(const Handler& handler, const Firing& firing) {
  try {
    const ActionResult result = handler.call(firing);
    if (result.succeeded) return {};
    return failed(result.effect, result.error);
  } catch (const ActionFailed& error) {
    return failed(error.effect(), error.what());
  } catch (const std::exception& error) {
    return failed(Effect::unknown, error.what());
  } catch (...) {
    return failed(Effect::unknown, "the handler has thrown something that is no exception");
  }
}

void Carrier::invoke(Carried carried, const std::stop_token& stop) {
  std::vector<Carried> one;
  one.push_back(std::move(carried));
  if (stop.stop_requested()) {
    one.front().ending = not_begun("its worker was stopped before it began", Again::now);
  } else {
    find_creators(one);
    one.front().ending = denial(one.front());
    if (!one.front().ending && !call_handler(one.front(), stop)) return;
  }
  conclude(std::move(one));
}

bool Carrier::call_handler(Carried& carried, const std::stop_token& stop) {
  schedule::Claim& claim = carried.claim;
  Attempt& attempt = claim.attempt;
  const Handler& handler = *handler_of(claim.event);
  const auto held = keeper_.hold(space_.access(), claim.lease);
  at("scheduler.invoking");
  const auto mark = [&](storage::Transaction& transaction) {
    return schedule::mark_invoking(transaction, space_.name(), claim, handler.is_idempotent, now());
  };
  if (!store(mark, attempt)) return false;
  attempt.state = AttemptState::invoking;
  attempt.is_idempotent = handler.is_idempotent;

  std::stop_source enough;
  const auto end = [&enough] { enough.request_stop(); };
  const std::stop_callback by_stop(stop, end);
  const std::stop_callback by_loss(held->lost().get_token(), end);
  at("scheduler.invoke");
  const Ending ending = call(handler, {.space = space_.name(),
                                       .event = claim.event,
                                       .attempt = attempt,
                                       .actor = carried.creator,
                                       .stop = enough.get_token(),
                                       .keep_alive = [&] { return held->renew(); }});
  at("scheduler.outcome");
  const auto complete = [&](storage::Transaction& transaction) {
    return schedule::store_outcome(transaction, space_.name(), claim, ending.end, now());
  };
  if (!store(complete, attempt)) return false;
  attempt.state = ending.end.state;
  carried.ending = ending;
  return true;
}

void Carrier::conclude(std::vector<Carried> open) {
  constexpr int kDecisionsMax = 16;
  const bool has_plans = std::any_of(open.begin(), open.end(),
                                     [](const Carried& carried) { return !carried.ending; });
  if (has_plans) find_creators(open);
  for (Carried& carried : open) {
    if (!carried.ending) carried.ending = denial(carried);
  }
  for (int i = 0; i < kDecisionsMax && !open.empty(); ++i) {
    at("scheduler.read");
    const auto read = read_events(open);
    at("scheduler.finish");
    DrainReport counts;
    const auto stored = store_ends(open, read, counts);
    std::vector<Carried> moved;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (stored[k] == Stored::moved) moved.push_back(std::move(open[k]));
    }
    counts.conflicts = moved.size();
    tally_.add(counts);
    at("scheduler.finished");
    open = std::move(moved);
  }
}

std::vector<std::optional<ScheduledEvent>> Carrier::read_events(
    const std::vector<Carried>& carried) const {
  std::vector<std::optional<ScheduledEvent>> read;
  const auto snapshot = space_.access().database.snapshot();
  for (const Carried& one : carried) {
    read.push_back(schedule::EventStore::find(snapshot->transaction(), space_.name(),
                                              one.claim.attempt.event));
  }
  return read;
}

auto Carrier::store_ends(const std::vector<Carried>& carried,
                         const std::vector<std::optional<ScheduledEvent>>& read,
                         DrainReport& counts) -> std::vector<Stored> {
  std::vector<Stored> stored(carried.size());
  space_.access().database.writer().submit(
      [&](storage::Transaction& transaction) {
        counts = {};
        for (std::size_t i = 0; i < carried.size(); ++i) {
          stored[i] = Stored::lost;  // purged, or what it meets is its own affair
          if (!read[i]) continue;
          (void)apart(transaction, [&] {
            stored[i] = store_end(transaction, carried[i], *read[i], counts);
          });
        }
        return counts.finalized > 0 ? storage::Verdict::keep : storage::Verdict::undo;
      },
      to_string(carried.front().claim.attempt.invocation));
  return stored;
}

auto Carrier::store_end(storage::Transaction& transaction, const Carried& carried,
                        const ScheduledEvent& read, DrainReport& counts) -> Stored {
  const schedule::Claim& claim = carried.claim;
  const Backoff backoff{.least = options_.retry_min, .most = options_.retry_max};
  storage::Savepoint part(transaction);
  const Ending ending = carried.ending ? *carried.ending : act(transaction, carried, read);
  const Decision decision = decide(read, claim.attempt, ending, now(), backoff,
                                   space_.access().environment.random);
  const bool is_stored = journal::in_space(
      transaction, context(claim.attempt), [&](journal::Appender& appender) {
        appender.lift_settings();  // a full space must not keep an event in the air
        return schedule::finish(appender, claim,
                                {.end = decision.end,
                                 .retry_at = decision.retry_at,
                                 .read = read,
                                 .next = decision.next,
                                 .op = decision.op});
      });
  if (is_stored) {
    part.keep();
    counts += decision.counts;
    return Stored::yes;
  }
  part.undo();
  if (storage::holds_lease(transaction, claim.lease)) return Stored::moved;
  ++counts.fenced;
  return Stored::lost;
}

Ending Carrier::act(storage::Transaction& transaction, const Carried& carried,
                    const ScheduledEvent& read) {
  const Attempt& attempt = carried.claim.attempt;
  // Its writer has changed what is to be done since: that is begun anew, if at all.
  if (read.payload != carried.claim.event.payload || read.kind != carried.claim.event.kind ||
      !is_still_armed(read, attempt)) {
    return not_begun("the event was edited before it began", Again::now);
  }
  return apply_plan_of(transaction, space_, read, attempt, carried.creator);
}

}  // namespace holdfast::scheduler
