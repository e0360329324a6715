#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/storage/query.h>

#include "attempt_table.h"

namespace holdfast::schedule {
namespace {

void write_time(core::JsonWriter& out, std::string_view name,
                const std::optional<Timestamp>& time) {
  if (time) {
    out.integer(name, to_us(*time));
  } else {
    out.null(name);
  }
}

/// A part of a cursor, which was a number when it was written.
std::int64_t place(const std::string& text) { return std::stoll(text); }

}  // namespace

std::vector<Attempt> open_attempts(storage::Transaction& transaction, std::string_view space,
                                   std::size_t limit) {
  static const std::string sql = std::string(kSelectAttempt) +
                                 " WHERE space = $1 AND finished_at IS NULL"
                                 " ORDER BY event LIMIT $2";
  auto select = transaction.prepare(sql);
  select.bind(space, static_cast<std::uint64_t>(limit));
  std::vector<Attempt> open;
  while (select.step()) open.push_back(read_attempt(select.row()));
  return open;
}

Page<Attempt> attempts_of(storage::Transaction& transaction, std::string_view space,
                          ScheduledEventId event, const PageRequest& request) {
  core::check_limit("limit", request.limit);
  const auto narrowed = [&](std::string select, const std::vector<std::string>& before) {
    storage::Query query(std::move(select));
    query.where("space = $", space).where("event = $", event);
    if (before.empty()) return query;
    return storage::Query(std::move(
        query.where("(armed_at, trigger_at, number) < ($, $, $)", place(before[0]),
                    place(before[1]), place(before[2]))));
  };
  const std::string tag = narrowed(std::string(kSelectAttempt), {}).fingerprint();
  std::vector<std::string> before;
  if (!request.cursor.empty()) before = storage::read_cursor(tag, request.cursor, 3);
  storage::Query query = narrowed(std::string(kSelectAttempt), before);
  query.append(" ORDER BY armed_at DESC, trigger_at DESC, number DESC");
  query.append(" LIMIT $", request.limit + 1);

  Page<Attempt> page;
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  while (select.step()) page.items.push_back(read_attempt(select.row()));
  if (page.items.size() <= request.limit) return page;
  page.items.pop_back();
  const Attempt& last = page.items.back();
  const std::vector<std::string> key = {std::to_string(to_us(last.armed_at)),
                                        std::to_string(to_us(last.trigger_at)),
                                        std::to_string(last.number)};
  page.next = storage::write_cursor(tag, key);
  journal::count_left_out(transaction, narrowed("SELECT 1 FROM attempts", key), page.left_out,
                          page.left_out_is_minimum);
  return page;
}

std::string to_json(const Attempt& attempt) {
  core::JsonWriter out;
  out.string("occurrence", to_string(attempt.occurrence))
      .unsigned_integer("number", attempt.number)
      .string("event", to_string(attempt.event))
      .integer("trigger_at", to_us(attempt.trigger_at))
      .integer("armed_at", to_us(attempt.armed_at))
      .string("invocation", to_string(attempt.invocation))
      .string("worker", attempt.worker)
      .string("state", to_string(attempt.state));
  if (attempt.effect) {
    out.string("effect", to_string(*attempt.effect));
  } else {
    out.null("effect");
  }
  out.string("error", attempt.error)
      .unsigned_integer("passed_over", attempt.passed_over)
      .unsigned_integer("tries", attempt.tries)
      .boolean("is_idempotent", attempt.is_idempotent)
      .integer("claimed_at", to_us(attempt.claimed_at));
  write_time(out, "invoked_at", attempt.invoked_at);
  write_time(out, "completed_at", attempt.completed_at);
  write_time(out, "finished_at", attempt.finished_at);
  write_time(out, "retry_at", attempt.retry_at);
  return out.finish();
}

}  // namespace holdfast::schedule
