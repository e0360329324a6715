#include <holdfast/journal/journal.h>

#include <charconv>

#include <holdfast/core/error.h>
#include <holdfast/storage/connection.h>
#include <holdfast/core/input.h>
#include <holdfast/storage/query.h>

namespace holdfast::journal {
namespace {

const std::string kSelect =
    "SELECT seq, kind, id, stream_seq, prev_seq, op, body, actor, request_id, at FROM events"
    " WHERE space = $1";
const std::string kStream = kSelect + " AND kind = $2 AND id = $3";

Event read_event(const storage::Row& row) {
  return {.seq = row.get<Sequence>(0),
          .kind = row.get<std::string>(1),
          .id = row.get<Uuid>(2),
          .stream_seq = row.get<Sequence>(3),
          .prev_seq = row.get<Sequence>(4),
          .op = row.get<std::string>(5),
          .body = row.get<std::optional<std::string>>(6),
          .actor = row.get<std::string>(7),
          .request_id = row.get<std::string>(8),
          .at = row.get<Timestamp>(9)};
}

Sequence to_sequence(const std::string& text) {
  Sequence value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Tail tail(storage::Transaction& transaction, std::string_view space) {
  auto select = transaction.prepare(
      "SELECT last_seq, last_at FROM spaces WHERE space = $1 AND deleted_at IS NULL");
  select.bind(space);
  if (!select.step()) throw NotFound("space", std::string(space));
  return {.seq = select.get<Sequence>(0), .at = select.get<Timestamp>(1)};
}

Tail lock_space(storage::Transaction& transaction, std::string_view space) {
  const std::string sql =
      "SELECT last_seq, last_at FROM spaces WHERE space = $1 AND deleted_at IS NULL" +
      std::string(transaction.connection().lock_rows());
  auto lock = transaction.prepare(sql);
  lock.bind(space);
  if (!lock.step()) throw NotFound("space", std::string(space));
  return {.seq = lock.get<Sequence>(0), .at = lock.get<Timestamp>(1)};
}

Page<Event> history(storage::Transaction& transaction, std::string_view space,
                    std::string_view kind, const Uuid& id, const PageRequest& page) {
  core::check_limit("limit", page.limit);
  const auto last = last_event(transaction, space, kind, id);
  if (!last) throw NotFound(std::string(kind), to_string(id));
  const std::string query =
      "history " + std::string(space) + " " + std::string(kind) + " " + to_string(id);
  Sequence after = 0;
  if (!page.cursor.empty()) {
    after = to_sequence(storage::read_cursor(query, page.cursor, 1).front());
  }
  static const std::string sql = kStream + " AND stream_seq > $4 ORDER BY stream_seq LIMIT $5";
  auto select = transaction.prepare(sql);
  select.bind(space, kind, id, after, static_cast<std::uint64_t>(page.limit));
  Page<Event> result;
  while (select.step()) result.items.push_back(read_event(select.row()));
  const Sequence reached = result.items.empty() ? after : result.items.back().stream_seq;
  if (reached < last->stream_seq) {
    result.left_out = last->stream_seq - reached;
    result.next = storage::write_cursor(query, {std::to_string(reached)});
  }
  return result;
}

std::optional<std::string> creator_of(storage::Transaction& transaction, std::string_view space,
                                      std::string_view kind, const Uuid& id) {
  auto select = transaction.prepare(
      "SELECT actor FROM events WHERE space = $1 AND kind = $2 AND id = $3 AND stream_seq = 1");
  select.bind(space, kind, id);
  if (!select.step()) return std::nullopt;
  return select.get<std::string>(0);
}

std::optional<Event> last_event(storage::Transaction& transaction, std::string_view space,
                                std::string_view kind, const Uuid& id) {
  static const std::string sql = kStream + " ORDER BY stream_seq DESC LIMIT 1";
  auto select = transaction.prepare(sql);
  select.bind(space, kind, id);
  if (!select.step()) return std::nullopt;
  return read_event(select.row());
}

std::optional<Event> event_at(storage::Transaction& transaction, std::string_view space,
                              Sequence seq) {
  static const std::string sql = kSelect + " AND seq = $2";
  auto select = transaction.prepare(sql);
  select.bind(space, seq);
  if (!select.step()) return std::nullopt;
  return read_event(select.row());
}

std::optional<Event> event_as_of(storage::Transaction& transaction, std::string_view space,
                                 std::string_view kind, const Uuid& id, Sequence seq) {
  // Links grow along a stream as sequences do, and they have an index: the last event that links to
  // one not after `seq` is either the answer, or the one after it.
  static const std::string sql = kStream + " AND prev_seq <= $4 ORDER BY prev_seq DESC LIMIT 1";
  auto select = transaction.prepare(sql);
  select.bind(space, kind, id, seq);
  if (!select.step()) return std::nullopt;
  Event found = read_event(select.row());
  if (found.seq <= seq) return found;
  if (found.prev_seq == 0) return std::nullopt;
  return event_at(transaction, space, found.prev_seq);
}

Sequence seq_as_of(storage::Transaction& transaction, std::string_view space, Timestamp time) {
  // Sequences have no gaps and `at` never goes back, so halving finds the place.
  Sequence known = 0;  // dated at or before `time`
  Sequence after = tail(transaction, space).seq + 1;
  auto select = transaction.prepare("SELECT at FROM events WHERE space = $1 AND seq = $2");
  while (known + 1 < after) {
    const Sequence middle = known + (after - known) / 2;
    select.reset();
    select.bind(space, middle);
    if (!select.step()) {
      throw Corrupt("space " + std::string(space) + " lacks the event at sequence " +
                    std::to_string(middle));
    }
    (select.get<Timestamp>(0) <= time ? known : after) = middle;
  }
  return known;
}

std::vector<Event> read_after(storage::Transaction& transaction, std::string_view space,
                              Sequence after, std::size_t limit) {
  static const std::string sql = kSelect + " AND seq > $2 ORDER BY seq LIMIT $3";
  auto select = transaction.prepare(sql);
  select.bind(space, after, static_cast<std::uint64_t>(limit));
  std::vector<Event> events;
  while (select.step()) events.push_back(read_event(select.row()));
  return events;
}

}  // namespace holdfast::journal
