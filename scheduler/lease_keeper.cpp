#include "lease_keeper.h"

#include <algorithm>
#include <map>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>

namespace holdfast::scheduler {

LeaseKeeper::LeaseKeeper(std::chrono::milliseconds lease, std::chrono::milliseconds limit)
    : lease_(lease), limit_(limit) {}

LeaseKeeper::~LeaseKeeper() {
  thread_.request_stop();
  wake_.notify_all();
}

std::unique_ptr<LeaseKeeper::Held> LeaseKeeper::hold(const Access& access,
                                                     const storage::Lease& lease) {
  auto entry = std::make_shared<Entry>(Entry{.access = access,
                                             .lease = lease,
                                             .since = access.environment.clock.elapsed(),
                                             .lost = {}});
  const std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  return std::make_unique<Held>(*this, std::move(entry));
}

LeaseKeeper::Held::~Held() {
  const std::lock_guard lock(keeper_.mutex_);
  std::erase(keeper_.entries_, entry_);
}

void LeaseKeeper::work(const std::stop_token& stop) {
  const auto pause = std::max(lease_ / 3, std::chrono::milliseconds(1));
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, pause, [] { return false; });
    }
    if (!stop.stop_requested()) renew_all();
  }
}

void LeaseKeeper::renew_all() {
  std::map<std::string, std::vector<std::shared_ptr<Entry>>, std::less<>> by_space;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_) {
      if (entry->lost.stop_requested()) continue;
      if (entry->access.environment.clock.elapsed() - entry->since > limit_) {
        entry->lost.request_stop();
      } else {
        by_space[entry->access.space].push_back(entry);
      }
    }
  }
  for (const auto& [space, entries] : by_space) {
    try {
      renew(entries);
    } catch (const Error& error) {
      core::log()->warn("scheduler: leases in {} were not renewed: {}", space, error.what());
    }
  }
}

void LeaseKeeper::renew(const std::vector<std::shared_ptr<Entry>>& entries) {
  const Access& access = entries.front()->access;
  std::vector<bool> kept(entries.size());
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        const Timestamp now = access.environment.clock.now();
        for (std::size_t i = 0; i < entries.size(); ++i) {
          storage::Lease lease = entries[i]->lease;
          kept[i] = storage::renew_lease(transaction, lease, now, lease_);
        }
        return storage::Verdict::keep;
      },
      "renew");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!kept[i]) entries[i]->lost.request_stop();
  }
}

bool LeaseKeeper::renew_now(Entry& entry) {
  if (entry.lost.stop_requested()) return false;
  const Access& access = entry.access;
  bool kept = false;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        storage::Lease lease = entry.lease;
        kept = storage::renew_lease(transaction, lease, access.environment.clock.now(), lease_);
        return kept ? storage::Verdict::keep : storage::Verdict::undo;
      },
      "renew");
  if (!kept) entry.lost.request_stop();
  return kept;
}

}  // namespace holdfast::scheduler
