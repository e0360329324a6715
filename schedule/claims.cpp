#include <holdfast/schedule/claims.h>

#include <array>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/storage/guard.h>

#include "attempt_table.h"
#include "event_table.h"
#include "lease_name.h"

namespace holdfast::schedule {
namespace {

using storage::Conjunct;

// The event still is what was seen to be due.
constexpr std::array kClaim = {
    Conjunct{"live", "deleted_at IS NULL"},
    Conjunct{"pending", "status = 'pending'"},
    Conjunct{"trigger", "trigger_at = $3"},
    Conjunct{"revision", "revision = $4"},
};

// The attempt still is the claim's, and as far as it takes it to be.
constexpr std::array kInvoke = {
    Conjunct{"invocation", "invocation = $4"},
    Conjunct{"claimed", "state = 'claimed'"},
};
constexpr std::array kComplete = {
    Conjunct{"invocation", "invocation = $4"},
    Conjunct{"invoking", "state = 'invoking'"},
};
constexpr std::array kFinish = {
    Conjunct{"invocation", "invocation = $4"},
    Conjunct{"state", "state = $5"},
    Conjunct{"open", "finished_at IS NULL"},
};

// The event is exactly what was read: every value that is written comes from that read.
constexpr std::array kRead = {
    Conjunct{"revision", "revision = $3"},
    Conjunct{"deleted_at", "deleted_at IS NOT DISTINCT FROM CAST($4 AS BIGINT)"},
    Conjunct{"properties", "properties = $5"},
};

std::optional<Attempt> first_of(storage::Statement& select) {
  if (!select.step()) return std::nullopt;
  return read_attempt(select.row());
}

unsigned next_number(storage::Transaction& transaction, std::string_view space,
                     const Uuid& occurrence) {
  auto select = transaction.prepare(
      "SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE space = $1 AND occurrence = $2");
  select.bind(space, occurrence);
  return select.step() ? static_cast<unsigned>(select.get<Sequence>(0)) : 1;
}

bool is_as_seen(storage::Transaction& transaction, std::string_view space,
                const ScheduledEvent& event) {
  static const std::string sql =
      "SELECT 1 FROM scheduled_events WHERE space = $1 AND id = $2 AND " +
      storage::guard_sql("event.claim", kClaim);
  auto select = transaction.prepare(sql);
  select.bind_at(1, space).bind_at(2, event.id);
  select.bind_at(3, event.trigger_at).bind_at(4, event.revision);
  return select.step();
}

/// A waiting retry keeps its occurrence; what was only given back does not count as a try.
void carry_on(storage::Transaction& transaction, std::string_view space, const Attempt& before,
              Attempt& attempt) {
  attempt.trigger_at = before.trigger_at;
  attempt.passed_over = before.passed_over;
  attempt.tries = before.tries + (before.state == AttemptState::not_invoked ? 0 : 1);
  auto settle = transaction.prepare(
      "UPDATE attempts SET retry_at = CAST($4 AS BIGINT)"
      " WHERE space = $1 AND occurrence = $2 AND number = $3");
  settle.bind(space, before.occurrence, static_cast<std::uint64_t>(before.number),
              std::optional<Timestamp>());
  settle.run();
}

bool is_exactly(storage::Transaction& transaction, std::string_view space,
                const ScheduledEvent& read) {
  static const std::string sql =
      "SELECT 1 FROM scheduled_events WHERE space = $1 AND id = $2 AND " +
      storage::guard_sql("event.finish", kRead);
  auto select = transaction.prepare(sql);
  select.bind(space, read.id, read.revision, read.deleted_at, read.properties.text());
  return select.step();
}

bool close_attempt(storage::Transaction& transaction, std::string_view space, const Claim& claim,
                   const Finish& finish, Timestamp now) {
  static const std::string sql =
      "UPDATE attempts SET state = $6, effect = $7, error = $8,"
      " completed_at = coalesce(completed_at, $9), finished_at = $9, retry_at = $10"
      " WHERE space = $1 AND occurrence = $2 AND number = $3 AND " +
      storage::guard_sql("attempt.finish", kFinish);
  std::optional<std::string> effect;
  if (finish.end.effect) effect = std::string(to_string(*finish.end.effect));
  auto close = transaction.prepare(sql);
  close.bind_at(1, space).bind_at(2, claim.attempt.occurrence);
  close.bind_at(3, static_cast<std::uint64_t>(claim.attempt.number));
  close.bind_at(4, claim.attempt.invocation).bind_at(5, to_string(claim.attempt.state));
  close.bind_at(6, to_string(finish.end.state)).bind_at(7, effect).bind_at(8, finish.end.error);
  close.bind_at(9, now).bind_at(10, finish.retry_at);
  return close.run() == 1;
}

}  // namespace

std::optional<Claim> claim_event(storage::Transaction& transaction, std::string_view space,
                                 const ClaimRequest& request, Timestamp now) {
  const ScheduledEvent& event = request.event;
  if (!is_as_seen(transaction, space, event)) return std::nullopt;
  const bool is_free = !open_attempt(transaction, space, event.id);
  if (!storage::holds("event.claim", "free", is_free)) return std::nullopt;
  const auto before = last_attempt(transaction, space, event);
  const bool is_rested = !before || !before->retry_at || *before->retry_at <= now;
  if (!storage::holds("event.claim", "rested", is_rested)) return std::nullopt;
  const auto lease = storage::claim_lease(transaction, space, lease_name(event.id), request.worker,
                                          now, request.lease);
  if (!lease) return std::nullopt;

  Attempt attempt{.occurrence = {},
                  .event = event.id,
                  .trigger_at = request.trigger_at,
                  .armed_at = event.trigger_at,
                  .invocation = request.invocation,
                  .worker = std::string(request.worker),
                  .passed_over = request.passed_over,
                  .claimed_at = now};
  if (before && before->retry_at) carry_on(transaction, space, *before, attempt);
  if (request.end) {
    attempt.state = request.end->state;
    attempt.effect = request.end->effect;
    attempt.error = request.end->error;
    attempt.completed_at = now;
  }
  attempt.occurrence = occurrence_id(event.id, attempt.trigger_at);
  attempt.number = next_number(transaction, space, attempt.occurrence);
  insert_attempt(transaction, space, attempt);
  return Claim{.event = event, .attempt = std::move(attempt), .lease = *lease};
}

std::optional<Claim> take_over(storage::Transaction& transaction, std::string_view space,
                               ScheduledEventId event, std::string_view worker, Timestamp now,
                               std::chrono::microseconds lease) {
  const auto taken =
      storage::claim_lease(transaction, space, lease_name(event), worker, now, lease);
  if (!taken) return std::nullopt;
  auto attempt = open_attempt(transaction, space, event);
  if (!attempt) {
    storage::release_lease(transaction, *taken);
    return std::nullopt;
  }
  Claim claim{.event = {}, .attempt = std::move(*attempt), .lease = *taken};
  claim.event.id = event;
  return claim;
}

bool mark_invoking(storage::Transaction& transaction, std::string_view space, const Claim& claim,
                   bool is_idempotent, Timestamp now) {
  if (!storage::holds_lease(transaction, claim.lease)) return false;
  static const std::string sql =
      "UPDATE attempts SET state = 'invoking', is_idempotent = $5, invoked_at = $6"
      " WHERE space = $1 AND occurrence = $2 AND number = $3 AND " +
      storage::guard_sql("attempt.invoke", kInvoke);
  auto mark = transaction.prepare(sql);
  mark.bind(space, claim.attempt.occurrence, static_cast<std::uint64_t>(claim.attempt.number),
            claim.attempt.invocation, is_idempotent, now);
  return mark.run() == 1;
}

bool store_outcome(storage::Transaction& transaction, std::string_view space, const Claim& claim,
                   const AttemptEnd& end, Timestamp now) {
  if (!storage::holds_lease(transaction, claim.lease)) return false;
  static const std::string sql =
      "UPDATE attempts SET state = $5, effect = $6, error = $7, completed_at = $8"
      " WHERE space = $1 AND occurrence = $2 AND number = $3 AND " +
      storage::guard_sql("attempt.complete", kComplete);
  std::optional<std::string> effect;
  if (end.effect) effect = std::string(to_string(*end.effect));
  auto store = transaction.prepare(sql);
  store.bind(space, claim.attempt.occurrence, static_cast<std::uint64_t>(claim.attempt.number),
             claim.attempt.invocation, to_string(end.state), effect, end.error, now);
  return store.run() == 1;
}

bool finish(journal::Appender& appender, const Claim& claim, const Finish& finish) {
  storage::Transaction& transaction = appender.transaction();
  const std::string& space = appender.space();
  if (!storage::holds_lease(transaction, claim.lease)) return false;
  if (!is_exactly(transaction, space, finish.read)) return false;
  if (!close_attempt(transaction, space, claim, finish, appender.now())) return false;
  if (finish.next) {
    ScheduledEvent next = *finish.next;
    const Expected expected{.revision = finish.read.revision,
                            .deleted_at = finish.read.deleted_at};
    next.revision = next_revision(appender.now(), expected.revision);
    const auto written =
        EventTable::replace_if_unchanged(appender, std::move(next), expected, finish.op);
    if (!written.applied()) return false;
  }
  storage::release_lease(transaction, claim.lease);
  return true;
}

std::optional<Attempt> last_attempt(storage::Transaction& transaction, std::string_view space,
                                    const ScheduledEvent& event) {
  static const std::string sql = std::string(kSelectAttempt) +
                                 " WHERE space = $1 AND event = $2 AND armed_at = $3"
                                 " ORDER BY trigger_at DESC, number DESC LIMIT 1";
  auto select = transaction.prepare(sql);
  select.bind(space, event.id, event.trigger_at);
  return first_of(select);
}

std::optional<Attempt> open_attempt(storage::Transaction& transaction, std::string_view space,
                                    ScheduledEventId event) {
  static const std::string sql = std::string(kSelectAttempt) +
                                 " WHERE space = $1 AND event = $2 AND finished_at IS NULL"
                                 " ORDER BY occurrence, number LIMIT 1";
  auto select = transaction.prepare(sql);
  select.bind(space, event);
  return first_of(select);
}

void forget_attempts(storage::Transaction& transaction, std::string_view space,
                     ScheduledEventId event) {
  auto attempts = transaction.prepare("DELETE FROM attempts WHERE space = $1 AND event = $2");
  attempts.bind(space, event);
  attempts.run();
  auto lease = transaction.prepare("DELETE FROM leases WHERE space = $1 AND name = $2");
  lease.bind(space, lease_name(event));
  lease.run();
}

}  // namespace holdfast::schedule
