#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "support/history_check.h"

namespace holdfast::test {
namespace {

using Answer = Operation::Answer;

/// Tries the operations of one row in every order that real time allows.
class Search {
 public:
  explicit Search(std::vector<Operation> operations) : operations_(std::move(operations)) {
    if (operations_.size() > 63) throw std::invalid_argument("at most 63 operations a row");
  }

  /// Whether what is not in `done` can follow when the row is at `revision`.
  bool can_follow(std::uint64_t done, std::int64_t revision) {
    if (is_settled(done)) return true;
    if (!seen_.insert({done, revision}).second) return false;  // tried before, in another order
    const std::uint64_t first_return = earliest_return(done);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& next = operations_[i];
      // What was called after another had returned cannot come before it.
      if (is_done(done, i) || next.called > first_return) continue;
      const auto after = apply(next, revision);
      if (after && can_follow(done | (1ULL << i), *after)) return true;
    }
    return false;
  }

 private:
  static bool is_done(std::uint64_t done, std::size_t i) { return (done >> i & 1U) != 0; }

  /// The row's revision after the operation; absent when the operation cannot have gone so.
  static std::optional<std::int64_t> apply(const Operation& operation, std::int64_t revision) {
    switch (operation.answer) {
      case Answer::applied:
      case Answer::unknown:
        if (revision != operation.expected || operation.revision <= revision) return {};
        return operation.revision;
      case Answer::refused:
        if (operation.revision == operation.expected) return {};
        [[fallthrough]];
      case Answer::read:
        if (revision != operation.revision) return {};
        return revision;
    }
    return {};
  }

  /// An unknown write need never land.
  bool is_settled(std::uint64_t done) const {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!is_done(done, i) && operations_[i].answer != Answer::unknown) return false;
    }
    return true;
  }

  std::uint64_t earliest_return(std::uint64_t done) const {
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (is_done(done, i) || operations_[i].answer == Answer::unknown) continue;
      earliest = std::min(earliest, operations_[i].returned);
    }
    return earliest;
  }

  std::vector<Operation> operations_;
  std::set<std::pair<std::uint64_t, std::int64_t>> seen_;
};

}  // namespace

bool is_linearizable(const History& history) {
  std::map<std::uint64_t, std::vector<Operation>> rows;
  for (const Operation& operation : history.operations) rows[operation.row].push_back(operation);
  for (const auto& [row, operations] : rows) {
    const auto initial = history.initial.find(row);
    if (initial == history.initial.end()) return false;
    if (!Search(operations).can_follow(0, initial->second)) return false;
  }
  return true;
}

}  // namespace holdfast::test
