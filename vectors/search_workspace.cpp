#include "search_workspace.h"

#include <utility>

namespace holdfast::vectors {

void VisitedSet::begin(std::size_t count) {
  for (const Slot slot : met_) words_[slot / 64] = 0;
  met_.clear();
  if (words_.size() * 64 < count) words_.resize((count + 63) / 64);
}

std::unique_ptr<SearchWorkspace> WorkspacePool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<SearchWorkspace>(like_);
}

void WorkspacePool::give(std::unique_ptr<SearchWorkspace> workspace) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace holdfast::vectors
