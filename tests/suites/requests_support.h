#pragma once

#include <vector>

#include "suites/kinds.h"

namespace holdfast::test {

inline const WriteOptions kAsked{.request_id = "request"};
inline const UpdateOptions kUpdate{.request_id = "request"};

/// What an answer says, so that two can be compared.
template <class Row>
struct Said {
  explicit Said(const WriteResult<Row>& result)
      : outcome(result.outcome),
        current(result.current),
        seq(result.seq),
        request_id(result.request_id),
        edges(result.edges),
        handed_over(result.handed_over),
        kept_out(result.kept_out) {}
  bool operator==(const Said&) const = default;
  Outcome outcome;
  std::optional<Row> current;
  Sequence seq;
  std::string request_id;
  std::vector<EdgeId> edges, handed_over, kept_out;
};

/// How many events of the journal name the request.
inline std::size_t events_of_request(TestStore& store) {
  std::size_t count = 0;
  for (const Event& event : journal_of(*store.store)) count += event.request_id == "request";
  return count;
}

}  // namespace holdfast::test
