#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <holdfast/space/access.h>
#include <holdfast/storage/lease.h>

namespace holdfast::scheduler {

/// Renews leases in the background while handlers are at work, all that are held in one space by
/// one transaction.
/// Thread safety: any thread.
class LeaseKeeper {
 public:
  /// Each third of `lease` those are renewed that were taken less than `limit` ago.
  LeaseKeeper(std::chrono::milliseconds lease, std::chrono::milliseconds limit);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  class Held;
  /// Keeps a lease until the answer is destroyed.
  std::unique_ptr<Held> hold(const Access& access, const storage::Lease& lease);

 private:
  struct Entry {
    Access access;  ///< a copy: a renewal may end after the lease is let go
    storage::Lease lease;
    std::chrono::microseconds since;  ///< by the clock that does not step back
    std::stop_source lost;
  };
  using Entries = std::list<std::shared_ptr<Entry>>;

  void work(const std::stop_token& stop);
  void renew_all();
  void renew(const std::vector<std::shared_ptr<Entry>>& entries);
  bool renew_now(Entry& entry);

  std::chrono::milliseconds lease_;
  std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  Entries entries_;
  std::jthread thread_;  ///< begins with the first lease
};

/// One lease that is kept.
class LeaseKeeper::Held {
 public:
  Held(LeaseKeeper& keeper, std::shared_ptr<Entry> entry)
      : keeper_(keeper), entry_(std::move(entry)) {}
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  /// Asked for when the lease is another's, or is not renewed any more.
  std::stop_source& lost() { return entry_->lost; }
  /// Renews it at once. False when another has it.
  bool renew() { return keeper_.renew_now(*entry_); }

 private:
  LeaseKeeper& keeper_;
  std::shared_ptr<Entry> entry_;
};

}  // namespace holdfast::scheduler
