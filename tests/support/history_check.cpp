#include "support/history_check.h"

#include <algorithm>
#include <limits>
#include <set>

namespace holdfast::test {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// One link of a row's chain: the write that made `revision`.
struct Link {
  std::int64_t revision = 0;
  std::uint64_t called = 0;
  std::uint64_t returned = kNever;
};

/// Checks the operations of one row.
class RowCheck {
 public:
  RowCheck(std::int64_t initial, const std::vector<Operation>& operations)
      : initial_(initial), operations_(operations) {}

  /// Empty when nothing is wrong.
  std::string fault() {
    if (std::string found = sort_out(); !found.empty()) return found;
    std::vector<Link> chain = {{.revision = initial_, .called = 0, .returned = kNever}};
    if (complete(chain)) return "";
    if (unknown_.empty() && has_all_needed(chain)) return times_fault(chain);
    return "no chain of writes has " + std::to_string(needed_.size()) + " revisions up to " +
           std::to_string(*needed_.rbegin());
  }

 private:
  static std::string said(const Operation& operation, const std::string& what) {
    return what + ": " + std::to_string(operation.expected) + " to " +
           std::to_string(operation.revision) + ", called at " + std::to_string(operation.called);
  }

  /// Sorts the writes by what they expect, and collects the revisions that must be on the chain.
  std::string sort_out() {
    needed_.insert(initial_);
    for (const Operation& operation : operations_) {
      const bool is_write = operation.answer == Operation::Answer::applied ||
                            operation.answer == Operation::Answer::unknown;
      if (is_write && operation.revision <= operation.expected) {
        if (operation.answer == Operation::Answer::unknown) continue;  // it cannot have landed
        return said(operation, "a write did not advance the revision");
      }
      if (operation.answer == Operation::Answer::unknown) {
        // Of several that would have done the same the earliest leaves the most room.
        const Operation*& best = unknown_[operation.expected][operation.revision];
        if (best == nullptr || operation.called < best->called) best = &operation;
        continue;
      }
      needed_.insert(operation.revision);
      if (operation.answer == Operation::Answer::refused &&
          operation.revision == operation.expected) {
        return said(operation, "a refusal reports what was expected");
      }
      if (operation.answer != Operation::Answer::applied) {
        seen_[operation.revision].push_back(&operation);
        continue;
      }
      needed_.insert(operation.expected);
      if (!applied_.emplace(operation.expected, &operation).second) {
        return said(operation, "a second write over one revision");
      }
    }
    return "";
  }

  /// Extends the chain until it has every needed revision, at instants that the history allows.
  /// Where only unknown writes lead on, each is tried.
  bool complete(std::vector<Link>& chain) {
    for (auto next = applied_.find(chain.back().revision); next != applied_.end();
         next = applied_.find(chain.back().revision)) {
      chain.push_back(link(*next->second, next->second->returned));
    }
    // Links advance, so nothing that is needed lies behind the end.
    const std::int64_t end = chain.back().revision;
    if (end >= *needed_.rbegin()) return has_all_needed(chain) && times_fault(chain).empty();
    const auto candidates = unknown_.find(end);
    if (candidates == unknown_.end()) return false;
    const std::size_t length = chain.size();
    for (const auto& [revision, write] : candidates->second) {
      chain.push_back(link(*write, kNever));
      if (complete(chain)) return true;
      chain.resize(length);
    }
    return false;
  }

  static Link link(const Operation& write, std::uint64_t returned) {
    return {.revision = write.revision, .called = write.called, .returned = returned};
  }

  bool has_all_needed(const std::vector<Link>& chain) const {
    std::size_t met = 0;
    for (const Link& link : chain) met += needed_.count(link.revision);
    return met == needed_.size();
  }

  /// Gives every link the earliest instant it can have; later ones only follow from that.
  std::string times_fault(const std::vector<Link>& chain) const {
    std::uint64_t earliest = 0;
    for (const Link& link : chain) {
      earliest = std::max(earliest, link.called);
      std::uint64_t latest = link.returned;
      std::uint64_t next_earliest = earliest;
      const auto seen = seen_.find(link.revision);
      if (seen != seen_.end()) {
        for (const Operation* operation : seen->second) {
          latest = std::min(latest, operation->returned);
          next_earliest = std::max(next_earliest, operation->called);
        }
      }
      if (earliest > latest) {
        return "revision " + std::to_string(link.revision) + " cannot have been made before " +
               std::to_string(earliest) + " but was seen by " + std::to_string(latest);
      }
      earliest = next_earliest;
    }
    return "";
  }

  std::int64_t initial_;
  const std::vector<Operation>& operations_;
  std::map<std::int64_t, const Operation*> applied_;  ///< by what they expected
  /// By what they expected and what they would have made.
  std::map<std::int64_t, std::map<std::int64_t, const Operation*>> unknown_;
  std::map<std::int64_t, std::vector<const Operation*>> seen_;
  std::set<std::int64_t> needed_;
};

}  // namespace

std::vector<std::string> check_history(const History& history) {
  std::map<std::uint64_t, std::vector<Operation>> rows;
  for (const Operation& operation : history.operations) rows[operation.row].push_back(operation);
  std::vector<std::string> faults;
  for (const auto& [row, operations] : rows) {
    const auto initial = history.initial.find(row);
    const std::string fault = initial == history.initial.end()
                                  ? "has no initial revision"
                                  : RowCheck(initial->second, operations).fault();
    if (!fault.empty()) faults.push_back("row " + std::to_string(row) + ": " + fault);
  }
  return faults;
}

}  // namespace holdfast::test
