#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// What a client did to one row and what it was told. Times are ticks of one counter that all
/// clients of a history draw from, so no two are equal.
struct Operation {
  enum class Answer {
    applied,  ///< the write landed: `expected` was replaced by `revision`
    refused,  ///< the row had moved from `expected`; it was at `revision`
    read,     ///< it was at `revision`
    unknown,  ///< the write of `revision` over `expected` may or may not have landed
  };
  std::uint64_t row = 0;
  Answer answer = Answer::read;
  std::uint64_t called = 0;
  std::uint64_t returned = 0;  ///< without meaning for `unknown`: it may still land later
  std::int64_t expected = 0;
  std::int64_t revision = 0;
};

struct History {
  std::map<std::uint64_t, std::int64_t> initial;  ///< each row's revision before all operations
  std::vector<Operation> operations;
};

/// Why the history cannot be that of rows under compare-and-swap, each changing at one instant
/// between call and return; one line for each row at fault. Takes time linear in the history, but
/// for unknown writes that rival each other.
///
/// Each row's applied writes must form one chain from its initial revision, every link advancing;
/// a gap is closed by unknown writes or not at all. On the chain an instant must exist for each
/// link: not before its call, its predecessor, or the call of whoever still saw the predecessor,
/// and not after its return or the return of whoever saw its result. A refusal is a read of what
/// it reports, which is never what it expected.
std::vector<std::string> check_history(const History& history);

/// The same question by trying every order (Wing and Gong, with Lowe's memory of places seen).
/// Takes exponential time at worst: at most 63 operations a row.
bool is_linearizable(const History& history);

}  // namespace holdfast::test
