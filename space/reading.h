#pragma once

#include <memory>
#include <string>

#include <holdfast/journal/journal.h>
#include <holdfast/space/access.h>

namespace holdfast {

/// One instant of a space, for one call that reads. A handle may outlive its space, so each read
/// looks first whether the space is there.
class Reading {
 public:
  /// Throws NotFound when the space is not there, or is being deleted.
  explicit Reading(const Access& access)
      : snapshot_(access.database.snapshot()),
        tail_(journal::tail(snapshot_->transaction(), access.space)) {}

  storage::Transaction& transaction() const { return snapshot_->transaction(); }
  const journal::Tail& tail() const { return tail_; }

 private:
  std::unique_ptr<storage::Snapshot> snapshot_;
  journal::Tail tail_;
};

}  // namespace holdfast
