#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "prepared_query.h"

namespace holdfast::vectors {

/// A slot and how far it is: by what PreparedQuery::comparable() says until a search ends, and the
/// metric's distance (for codes, an estimate of it) in what searches return.
struct Candidate {
  float distance = 0;
  Slot slot = 0;

  bool operator==(const Candidate&) const = default;
};
/// Ties by slot.
inline bool operator<(const Candidate& a, const Candidate& b) {
  return a.distance < b.distance || (a.distance == b.distance && a.slot < b.slot);
}
inline bool operator>(const Candidate& a, const Candidate& b) { return b < a; }

/// Slots that one search has met. Forgetting costs as much as was met, not as much as there is.
/// Thread safety: none.
class VisitedSet {
 public:
  /// Forgets all, and takes slots below `count`.
  void begin(std::size_t count);
  std::size_t size() const { return met_.size(); }
  /// False when it was there.
  bool insert(Slot slot) {
    std::uint64_t& word = words_[slot / 64];
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    met_.push_back(slot);
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<Slot> met_;
};

/// What one search at a time needs; kept, so that a search allocates nothing.
/// Thread safety: none; one for each thread.
struct SearchWorkspace {
  explicit SearchWorkspace(const VectorArray& like) : query(like) {}

  PreparedQuery query;
  VisitedSet visited;
  std::vector<Candidate> frontier;  ///< a heap, nearest first
  std::vector<Candidate> nearest;   ///< a heap, farthest first
  std::vector<Slot> fresh;
};

/// Workspaces that are not in use.
/// Thread safety: any thread.
class WorkspacePool {
 public:
  /// One for arrays like `like`, which must outlive the pool.
  explicit WorkspacePool(const VectorArray& like) : like_(like) {}

  /// Borrowed until it is destroyed, which is before the pool is.
  class Borrowed {
   public:
    explicit Borrowed(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Borrowed() { pool_.give(std::move(workspace_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    SearchWorkspace& operator*() const { return *workspace_; }
    SearchWorkspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<SearchWorkspace> workspace_;
  };

 private:
  std::unique_ptr<SearchWorkspace> take();
  void give(std::unique_ptr<SearchWorkspace> workspace);

  const VectorArray& like_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SearchWorkspace>> idle_;
};

}  // namespace holdfast::vectors
