#include <holdfast/journal/follower.h>

#include <algorithm>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/journal/journal.h>

namespace holdfast::journal {

std::vector<Event> Feed::read(Sequence after, std::size_t limit, std::chrono::milliseconds wait,
                              const std::stop_token& stop) const {
  const auto until = environment.clock.elapsed() + wait;
  for (;;) {
    // Before the journal is read, or a commit between the two would not end the wait.
    const std::uint64_t commits = database.commits();
    {
      const auto snapshot = database.snapshot();
      const Sequence end = journal::tail(snapshot->transaction(), space).seq;
      if (after > end) {
        throw InvalidArgument("after", std::to_string(after),
                              "not be after the journal's end, " + std::to_string(end));
      }
      auto events = read_after(snapshot->transaction(), space, after, limit);
      if (!events.empty()) return events;
    }
    const auto left = until - environment.clock.elapsed();
    if (left <= std::chrono::microseconds{0} || stop.stop_requested()) return {};
    // A writer that was killed behind its commit wakes nobody, so each second is looked again.
    constexpr std::chrono::milliseconds kLookAgain{1000};
    database.wait_for_commit(
        commits, std::min(kLookAgain, std::chrono::ceil<std::chrono::milliseconds>(left)));
  }
}

Follower::Follower(Feed feed, Sequence cursor, Apply apply)
    : Follower(std::move(feed), cursor, std::move(apply), Options{}) {}

Follower::Follower(Feed feed, Sequence cursor, Apply apply, const Options& options)
    : feed_(std::move(feed)), cursor_(cursor), apply_(std::move(apply)), options_(options) {}

bool Follower::take_in(const std::vector<Event>& events) {
  if (events.empty()) return false;
  apply_(events);
  cursor_ = events.back().seq;
  pause_ = {};
  return true;
}

bool Follower::step() { return take_in(feed_.read(cursor_, options_.batch_events)); }

void Follower::catch_up() {
  while (step()) {
  }
}

std::chrono::microseconds Follower::next_pause() {
  const std::chrono::microseconds least = options_.retry_min;
  pause_ = std::clamp<std::chrono::microseconds>(pause_ * 2, least, options_.retry_max);
  // Between half of it and all, so that several followers do not knock together.
  const auto half = pause_.count() / 2;
  return std::chrono::microseconds(
      half + static_cast<std::int64_t>(
                 feed_.environment.random.below(static_cast<std::uint64_t>(half) + 1)));
}

void Follower::pause(std::chrono::microseconds time, const std::stop_token& stop) {
  constexpr std::chrono::microseconds kSlice{20'000};
  while (time.count() > 0 && !stop.stop_requested()) {
    const auto slice = std::min(time, kSlice);
    feed_.environment.clock.sleep_for(slice);
    time -= slice;
  }
}

void Follower::run(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kIdle{1000};
  while (!stop.stop_requested()) {
    try {
      const bool is_idle = !take_in(feed_.read(cursor_, options_.batch_events, kIdle, stop));
      if (is_idle && options_.idle && !stop.stop_requested()) options_.idle();
    } catch (const NotFound&) {
      return;
    } catch (const std::exception& error) {
      core::log()->warn("following space {} behind sequence {} failed, trying again: {}",
                        feed_.space, cursor_, error.what());
      pause(next_pause(), stop);
    }
  }
}

}  // namespace holdfast::journal
