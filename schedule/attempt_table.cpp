#include "attempt_table.h"

#include "names.h"

namespace holdfast::schedule {

Attempt read_attempt(const storage::Row& row) {
  Attempt attempt;
  attempt.occurrence = row.get<Uuid>(0);
  attempt.number = static_cast<unsigned>(row.get<Sequence>(1));
  attempt.event = row.get<ScheduledEventId>(2);
  attempt.trigger_at = row.get<Timestamp>(3);
  attempt.armed_at = row.get<Timestamp>(4);
  attempt.invocation = row.get<Uuid>(5);
  attempt.worker = row.get<std::string>(6);
  attempt.state = stored_name("state", row.get<std::string_view>(7), parse_attempt_state);
  if (!row.is_null(8)) {
    attempt.effect = stored_name("effect", row.get<std::string_view>(8), parse_effect);
  }
  attempt.error = row.get<std::string>(9);
  attempt.passed_over = row.get<Sequence>(10);
  attempt.tries = static_cast<unsigned>(row.get<Sequence>(11));
  attempt.is_idempotent = row.get<bool>(12);
  attempt.claimed_at = row.get<Timestamp>(13);
  attempt.invoked_at = row.get<std::optional<Timestamp>>(14);
  attempt.completed_at = row.get<std::optional<Timestamp>>(15);
  attempt.finished_at = row.get<std::optional<Timestamp>>(16);
  attempt.retry_at = row.get<std::optional<Timestamp>>(17);
  return attempt;
}

void insert_attempt(storage::Transaction& transaction, std::string_view space,
                    const Attempt& attempt) {
  auto insert = transaction.prepare(
      "INSERT INTO attempts (space, occurrence, number, event, trigger_at, armed_at, invocation,"
      " worker, state, passed_over, tries, is_idempotent, claimed_at, effect, error, completed_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, $14, $15)");
  std::optional<std::string> effect;
  if (attempt.effect) effect = std::string(to_string(*attempt.effect));
  insert.bind(space, attempt.occurrence, static_cast<std::uint64_t>(attempt.number), attempt.event,
              attempt.trigger_at, attempt.armed_at, attempt.invocation, attempt.worker,
              to_string(attempt.state), attempt.passed_over,
              static_cast<std::uint64_t>(attempt.tries), attempt.claimed_at, effect, attempt.error,
              attempt.completed_at);
  insert.run();
}

}  // namespace holdfast::schedule
