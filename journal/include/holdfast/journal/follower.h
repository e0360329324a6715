#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/journal/event.h>
#include <holdfast/storage/database.h>

namespace holdfast::journal {

/// Waits for a space's journal to go on. What it refers to must outlive it.
struct Feed {
  storage::Database& database;
  core::Environment& environment;
  std::string space;

  /// Up to `limit` events after `after`, oldest first and without gaps. When there are none yet,
  /// waits until there are, at most `wait`, or until `stop`; writes of any process end the wait.
  /// Empty when the time is up. Throws NotFound when the space is not there, InvalidArgument
  /// ("after") for a sequence beyond the journal's end.
  std::vector<Event> read(Sequence after, std::size_t limit, std::chrono::milliseconds wait = {},
                          const std::stop_token& stop = {}) const;
};

/// The one loop that follows a space's journal: every projection and replica hands in what to do
/// with a batch of events.
/// Thread safety: one thread at a time; run() ends when its stop token is asked to.
class Follower {
 public:
  struct Options {
    std::size_t batch_events = 1000;
    /// A batch that failed is handed over again after a random pause, which doubles from the one
    /// to the other while it goes on failing.
    std::chrono::milliseconds retry_min{10};
    std::chrono::milliseconds retry_max{10'000};
    /// Called by run() once a second while there are no events: for what ends without one. It may
    /// throw as `apply` may.
    std::function<void()> idle{};
  };
  /// Takes events in order, without gaps. When it throws, the same events come again, perhaps with
  /// later ones behind them, so it must not mind having seen some of them.
  using Apply = std::function<void(const std::vector<Event>&)>;

  /// Begins behind `cursor`, a sequence that has been taken in already.
  Follower(Feed feed, Sequence cursor, Apply apply);
  Follower(Feed feed, Sequence cursor, Apply apply, const Options& options);

  /// Of the last event that was taken in.
  Sequence cursor() const noexcept { return cursor_; }
  /// Takes in one batch; false when the journal has nothing after the cursor. What `apply` throws
  /// comes out here, and the cursor stays.
  bool step();
  /// Takes in what is there now. Throws what step() throws.
  void catch_up();
  /// Follows until `stop`: a failure is logged and tried again, except NotFound, which ends it: the
  /// space is gone.
  void run(const std::stop_token& stop);

 private:
  bool take_in(const std::vector<Event>& events);
  std::chrono::microseconds next_pause();
  void pause(std::chrono::microseconds time, const std::stop_token& stop);

  Feed feed_;
  Sequence cursor_;
  Apply apply_;
  Options options_;
  std::chrono::microseconds pause_{0};
};

}  // namespace holdfast::journal
