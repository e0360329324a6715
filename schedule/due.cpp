#include <holdfast/schedule/due.h>

#include <algorithm>

#include "event_table.h"
#include "lease_name.h"

namespace holdfast::schedule {
namespace {

/// Nobody has it, and no retry is to wait. The condition on the table is that of the index.
constexpr std::string_view kArmed =
    " FROM scheduled_events WHERE space = $1 AND status = 'pending' AND deleted_at IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.space = scheduled_events.space"
    " AND a.event = scheduled_events.id AND a.finished_at IS NULL)"
    " AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.space = scheduled_events.space"
    " AND a.event = scheduled_events.id AND a.armed_at = scheduled_events.trigger_at"
    " AND a.retry_at > $2)";

void take_earlier(std::optional<Timestamp>& next, storage::Statement& select) {
  if (!select.step()) return;
  const auto found = select.get<Timestamp>(0);
  if (!next || found < *next) next = found;
}

}  // namespace

std::vector<ScheduledEvent> due_events(storage::Transaction& transaction, std::string_view space,
                                       Timestamp now, const DuePlace& after, std::size_t limit) {
  static const std::string table = " FROM scheduled_events";
  static const std::string sql =
      EventTable::select().substr(0, EventTable::select().size() - table.size()) +
      std::string(kArmed) +
      " AND trigger_at <= $2 AND (trigger_at, id) > ($3, $4) ORDER BY trigger_at, id LIMIT $5";
  auto select = transaction.prepare(sql);
  select.bind(space, now, after.trigger_at, after.id, static_cast<std::uint64_t>(limit));
  std::vector<ScheduledEvent> events;
  while (select.step()) events.push_back(EventTable::read(select.row()));
  return events;
}

std::vector<ScheduledEvent> pending_events(storage::Transaction& transaction,
                                           std::string_view space, const DuePlace& after,
                                           std::size_t limit) {
  static const std::string sql =
      EventTable::select() +
      " WHERE space = $1 AND status = 'pending' AND deleted_at IS NULL"
      " AND (trigger_at, id) > ($2, $3) ORDER BY trigger_at, id LIMIT $4";
  auto select = transaction.prepare(sql);
  select.bind(space, after.trigger_at, after.id, static_cast<std::uint64_t>(limit));
  std::vector<ScheduledEvent> events;
  while (select.step()) events.push_back(EventTable::read(select.row()));
  return events;
}

std::optional<Timestamp> next_due(storage::Transaction& transaction, std::string_view space,
                                  Timestamp now, Timestamp after) {
  static const std::string armed = "SELECT trigger_at" + std::string(kArmed) +
                                   " AND trigger_at > $3 ORDER BY trigger_at, id LIMIT 1";
  auto first = transaction.prepare(armed);
  first.bind(space, now, after);
  auto retry = transaction.prepare(
      "SELECT retry_at FROM attempts WHERE space = $1 AND retry_at IS NOT NULL AND retry_at > $2"
      " ORDER BY retry_at LIMIT 1");
  retry.bind(space, std::max(now, after));
  auto lease = transaction.prepare(
      "SELECT expires_at FROM leases WHERE space = $1 AND expires_at > 0 AND expires_at > $2"
      " AND name >= $3 AND name < $4 ORDER BY expires_at LIMIT 1");
  lease.bind(space, after, kLeasePrefix, kLeaseEnd);
  std::optional<Timestamp> next;
  take_earlier(next, first);
  take_earlier(next, retry);
  take_earlier(next, lease);
  return next;
}

ArmedCounts count_armed(storage::Transaction& transaction, std::string_view space, Timestamp now) {
  ArmedCounts counts;
  auto pending = transaction.prepare(
      "SELECT count(*) FROM scheduled_events WHERE space = $1 AND status = 'pending'"
      " AND deleted_at IS NULL");
  pending.bind(space);
  if (pending.step()) counts.pending = pending.get<Sequence>(0);
  static const std::string due_sql =
      "SELECT count(*)" + std::string(kArmed) + " AND trigger_at <= $2";
  auto due = transaction.prepare(due_sql);
  due.bind(space, now);
  if (due.step()) counts.due = due.get<Sequence>(0);
  auto waiting = transaction.prepare(
      "SELECT count(*) FROM attempts WHERE space = $1 AND retry_at IS NOT NULL AND retry_at > $2");
  waiting.bind(space, now);
  if (waiting.step()) counts.waiting = waiting.get<Sequence>(0);
  return counts;
}

bool has_events(storage::Transaction& transaction, std::string_view space) {
  auto select = transaction.prepare("SELECT 1 FROM scheduled_events WHERE space = $1 LIMIT 1");
  select.bind(space);
  return select.step();
}

std::vector<ScheduledEventId> abandoned_events(storage::Transaction& transaction,
                                               std::string_view space, Timestamp now,
                                               std::size_t limit) {
  auto select = transaction.prepare(
      "SELECT name FROM leases WHERE space = $1 AND expires_at > 0 AND expires_at <= $2"
      " AND name >= $3 AND name < $4 ORDER BY expires_at, name LIMIT $5");
  select.bind(space, now, kLeasePrefix, kLeaseEnd, static_cast<std::uint64_t>(limit));
  std::vector<ScheduledEventId> events;
  while (select.step()) events.push_back(event_of_lease(select.get<std::string_view>(0)));
  return events;
}

}  // namespace holdfast::schedule
