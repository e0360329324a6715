#include "readers.h"

namespace holdfast::storage::sqlite {

std::unique_ptr<SqliteConnection> ReaderPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return std::make_unique<SqliteConnection>(options_);
}

void ReaderPool::give_back(std::unique_ptr<SqliteConnection> connection) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < idle_max_) idle_.push_back(std::move(connection));
}

std::chrono::microseconds ReaderPool::started() {
  const auto now = environment_.clock.elapsed();
  const std::lock_guard lock(mutex_);
  open_since_.insert(now);
  return now;
}

void ReaderPool::ended(std::chrono::microseconds since) {
  const std::lock_guard lock(mutex_);
  open_since_.erase(open_since_.find(since));
}

std::chrono::microseconds ReaderPool::oldest() {
  const auto now = environment_.clock.elapsed();
  const std::lock_guard lock(mutex_);
  return open_since_.empty() ? std::chrono::microseconds{0} : now - *open_since_.begin();
}

SqliteSnapshot::SqliteSnapshot(ReaderPool& pool, core::Clock& clock,
                               std::optional<std::chrono::microseconds> age_max)
    : pool_(pool), connection_(pool.take()) {
  connection_->execute("BEGIN");
  since_ = pool_.started();
  if (age_max) {
    transaction_.emplace(*connection_, clock, *age_max);
  } else {
    transaction_.emplace(*connection_, false);
  }
}

SqliteSnapshot::~SqliteSnapshot() {
  pool_.ended(since_);
  try {
    connection_->execute("ROLLBACK");
    pool_.give_back(std::move(connection_));
  } catch (...) {
    // A connection that cannot end its transaction is closed instead.
  }
}

}  // namespace holdfast::storage::sqlite
