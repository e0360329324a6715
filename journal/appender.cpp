#include <holdfast/journal/appender.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/storage/connection.h>

namespace holdfast::journal {

Appender::Appender(storage::Transaction& transaction, const WriteContext& context)
    : transaction_(transaction), context_(context) {
  // Every write transaction locks this row first, so a space's writes are serial everywhere.
  const std::string sql =
      "SELECT last_seq, last_at, settings FROM spaces WHERE space = $1 AND deleted_at IS NULL" +
      std::string(transaction.connection().lock_rows());
  auto lock = transaction.prepare(sql);
  lock.bind(context.space);
  if (!lock.step()) throw NotFound("space", context.space);
  first_seq_ = last_seq_ = lock.get<Sequence>(0);
  now_ = context.environment.clock.now();
  at_ = std::max(now_, lock.get<Timestamp>(1));
  settings_ = lock.get<std::string>(2);
}

Appender::Previous Appender::last_of_stream(const Change& change) {
  if (change.stream == Stream::begins) return {};
  auto select = transaction_.prepare(
      "SELECT seq, stream_seq FROM events WHERE space = $1 AND kind = $2 AND id = $3"
      " ORDER BY stream_seq DESC LIMIT 1");
  select.bind(context_.space, change.kind, change.id);
  if (!select.step()) {
    throw Corrupt(std::string(change.kind) + " " + to_string(change.id) +
                  " has a row but no events");
  }
  return {.seq = select.get<Sequence>(0), .stream_seq = select.get<Sequence>(1)};
}

Sequence Appender::append(const Change& change) {
  const Previous previous = last_of_stream(change);
  const Sequence seq = next_seq();
  auto insert = transaction_.prepare(
      "INSERT INTO events (space, seq, kind, id, stream_seq, prev_seq, op, body, actor,"
      " request_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)");
  insert.bind(context_.space, seq, change.kind, change.id, previous.stream_seq + 1, previous.seq,
              change.op, change.body, context_.actor, context_.request_id, at_);
  insert.run();
  last_seq_ = seq;
  return seq;
}

void Appender::finish() {
  if (last_seq_ == first_seq_) return;
  auto update =
      transaction_.prepare("UPDATE spaces SET last_seq = $2, last_at = $3 WHERE space = $1");
  update.bind(context_.space, last_seq_, at_);
  update.run();
  transaction_.witness(storage::Witness{
      .space = context_.space, .seq = last_seq_, .request_id = context_.request_id});
}

}  // namespace holdfast::journal
