#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/write_result.h>

/// Answers as `requests` keeps them. They name rows by their events, so that what a row held is
/// written down once, and a purge reaches it.
namespace holdfast {

/// What a stored answer says; the row is at its event.
struct StoredAnswer {
  Outcome outcome = Outcome::applied;
  Sequence seq = 0;
  Sequence row_seq = 0;  ///< 0: the answer has no row
  std::vector<EdgeId> edges;
  std::vector<EdgeId> handed_over;
  std::vector<EdgeId> kept_out;
};
std::string to_json(const StoredAnswer& answer);
/// Throws Corrupt for anything but what to_json() writes.
StoredAnswer read_answer(const JsonObject& text);

template <class Row>
StoredAnswer stored(const WriteResult<Row>& result) {
  return {.outcome = result.outcome,
          .seq = result.seq,
          .row_seq = result.current ? result.current->seq : 0,
          .edges = result.edges,
          .handed_over = result.handed_over,
          .kept_out = result.kept_out};
}

/// The answer again. Throws Gone when its row was purged since.
template <class RowStore>
WriteResult<typename RowStore::Row> repeated(storage::Transaction& transaction,
                                             std::string_view space, const RowStore& store,
                                             const StoredAnswer& answer,
                                             const std::string& request_id) {
  WriteResult<typename RowStore::Row> result;
  result.outcome = answer.outcome;
  result.seq = answer.seq;
  result.request_id = request_id;
  result.edges = answer.edges;
  result.handed_over = answer.handed_over;
  result.kept_out = answer.kept_out;
  result.repeated = true;
  if (answer.row_seq == 0) return result;
  const auto event = journal::event_at(transaction, space, answer.row_seq);
  if (!event) throw Corrupt("a stored answer names an event that is not there");
  if (!event->body) {
    throw Gone("request " + request_id + " was applied at sequence " +
               std::to_string(answer.seq) + "; the row it wrote was purged since");
  }
  result.current = store.from_event(transaction, space, *event);
  return result;
}

}  // namespace holdfast
