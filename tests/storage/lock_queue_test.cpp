#include "storage/sqlite/lock_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <thread>

#include "database_fixture.h"
#include "storage/sqlite/lock_file.h"
#include "support/catch.h"

namespace {

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using storage::sqlite::LockFile;
using storage::sqlite::LockQueue;
using Byte = storage::sqlite::LockFile::Byte;

constexpr auto kLong = std::chrono::minutes(5);  ///< no test may need it
constexpr auto kPatient = std::chrono::hours(1);
/// No turns, and nobody is passed over.
constexpr LockFile::Times kStrict{.turn = 0us, .patience = kPatient};

/// Somebody who only stands in the queue.
class Bystander {
 public:
  explicit Bystander(const std::filesystem::path& lock_file)
      : descriptor_(open(lock_file.c_str(), O_RDWR | O_CLOEXEC)), queue_(descriptor_) {}
  ~Bystander() { close(descriptor_); }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  LockQueue& queue() { return queue_; }
  void lock_byte(off_t at) const {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = at;
    range.l_len = 1;
    REQUIRE(fcntl(descriptor_, F_OFD_SETLK, &range) == 0);
  }

 private:
  int descriptor_;
  LockQueue queue_;
};

/// Real time, a lock file, and a count of those who wait for it.
struct Fixture {
  Fixture() {
    faults.arm([this](std::string_view point) {
      if (point != "lock_file.waiting") return;
      const std::lock_guard lock(mutex);
      ++waits;
      moved.notify_all();
    });
  }
  void await_waits(int count) {
    std::unique_lock lock(mutex);
    moved.wait(lock, [&] { return waits >= count; });
  }

  /// The lock orders the calls, but not for a tool that knows only those of threads.
  void note(const std::string& who) {
    const std::lock_guard lock(mutex);
    order += who;
  }

  TempDir dir;
  core::SystemClock clock;
  TestEnvironment rest;
  core::Faults faults;
  core::Environment environment{
      .clock = clock, .ids = *rest.ids, .random = rest.random, .faults = faults};
  std::mutex mutex;
  std::condition_variable moved;
  int waits = 0;
  std::string order;
  LockFile first{dir / "lock", environment, kStrict};
};

/// Runs `work` in a process that is killed when it has answered.
template <class Work>
class Killed {
 public:
  explicit Killed(Work work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    child_ = fork();
    if (child_ == 0) {
      work();
      if (write(ends[1], "r", 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(ends[1]);
    char ready = 0;
    const auto got = read(ends[0], &ready, 1);
    close(ends[0]);
    if (got != 1) throw std::runtime_error("the child failed");
  }
  ~Killed() { kill_now(); }
  Killed(const Killed&) = delete;
  Killed& operator=(const Killed&) = delete;
  void kill_now() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_ = -1;
};

}  // namespace

TEST_CASE("who waits for the writer's byte gets it before its last holder gets it again",
          "[storage]") {
  Fixture f;
  f.first.lock(Byte::writer, kLong);
  std::thread other([&] {
    LockFile second(f.dir / "lock", f.environment, kStrict);
    second.lock(Byte::writer, kLong);
    f.note("second ");
    second.unlock(Byte::writer);
  });
  f.await_waits(1);
  f.first.unlock(Byte::writer);
  f.first.lock(Byte::writer, kLong);
  f.note("first");
  f.first.unlock(Byte::writer);
  other.join();
  CHECK(f.order == "second first");
}

TEST_CASE("a holder takes the writer's byte again before those who wait only in its turn",
          "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  int waits = 0;
  environment.faults.arm([&](std::string_view) { ++waits; });
  LockFile lock(dir / "lock", environment.environment);
  const auto take = [&] {
    lock.lock(Byte::writer, kLong);
    lock.unlock(Byte::writer);
    return waits;
  };
  CHECK(take() == 0);
  Bystander other(dir / "lock");
  REQUIRE(other.queue().join());
  environment.clock.advance(LockFile::Times{}.turn - 1us);
  CHECK(take() == 0);
  environment.clock.advance(1us);
  CHECK(take() == 1);
}

TEST_CASE("those who wait for the writer's byte get it in the order of their arrival",
          "[storage]") {
  Fixture f;
  std::vector<std::thread> others;
  f.first.lock(Byte::writer, kLong);
  for (int i = 0; i < 40; ++i) {  // more than have a wake-up of their own
    others.emplace_back([&, i] {
      LockFile lock(f.dir / "lock", f.environment, kStrict);
      lock.lock(Byte::writer, kLong);
      f.note(std::string(1, static_cast<char>('0' + i)));
      lock.unlock(Byte::writer);
    });
    f.await_waits(i + 1);
  }
  f.first.unlock(Byte::writer);
  for (std::thread& other : others) other.join();
  CHECK(f.order == "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVW");
}

TEST_CASE("who has given up waiting, or was killed while it waited, is waited for by nobody",
          "[storage]") {
  Fixture f;
  f.first.lock(Byte::writer, kLong);
  SECTION("given up") {
    LockFile second(f.dir / "lock", f.environment);
    CHECK_THROWS_AS(second.lock(Byte::writer, 1ms), Busy);
    f.first.unlock(Byte::writer);
    CHECK_NOTHROW(f.first.lock(Byte::writer, 0ms));
  }
  SECTION("killed") {
    Killed child([&] { (new Bystander(f.dir / "lock"))->queue().join(); });
    f.first.unlock(Byte::writer);
    CHECK_THROWS_AS(f.first.lock(Byte::writer, 1ms), Busy);
    child.kill_now();
    CHECK_NOTHROW(f.first.lock(Byte::writer, 0ms));
  }
}

TEST_CASE("a holder that is killed leaves the lock to who waits", "[storage]") {
  Fixture f;
  Killed child([&] {
    static LockFile theirs(f.dir / "lock", f.environment);
    theirs.lock(Byte::writer, kLong);
  });
  std::thread waiting([&] {
    f.first.lock(Byte::writer, kLong);
    f.first.unlock(Byte::writer);
  });
  f.await_waits(1);
  child.kill_now();
  waiting.join();
}

TEST_CASE("a waiter that does not take the lock is passed over, and then not waited for at once",
          "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  int waits = 0;
  environment.faults.arm([&](std::string_view) { ++waits; });
  LockFile lock(dir / "lock", environment.environment);
  Bystander stopped(dir / "lock");
  REQUIRE(stopped.queue().join());

  const auto start = environment.clock.elapsed();
  std::chrono::microseconds waited{};
  const auto take = [&] {
    waited = lock.lock(Byte::writer, kLong);
    lock.unlock(Byte::writer);
    return waits;
  };
  CHECK(take() == 1);
  CHECK(waited >= LockFile::Times{}.patience);
  CHECK(waited == environment.clock.elapsed() - start);
  CHECK(waited <= 5 * LockFile::Times{}.patience);
  CHECK(take() == 1);
  CHECK(waited == 0us);
  // It may go on again, and then comes before all others once more.
  environment.clock.advance(1s);
  CHECK(take() == 2);
}

TEST_CASE("the queue names the first of those who wait, and never its own ticket", "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  const LockFile file(dir / "lock", environment.environment);
  Bystander one(dir / "lock");
  Bystander two(dir / "lock");
  CHECK_FALSE(one.queue().first());
  const auto first = one.queue().join();
  const auto second = two.queue().join();
  REQUIRE((first && second));
  CHECK(*second == *first + 1);
  CHECK(one.queue().first() == second);
  CHECK(two.queue().first() == first);
  CHECK_FALSE(one.queue().first(0, *first));
  CHECK_FALSE(two.queue().first(*first + 1));
  Bystander three(dir / "lock");
  CHECK(three.queue().first() == first);
  CHECK(three.queue().first(*second) == second);
  one.queue().leave(*first);
  CHECK(three.queue().first() == second);
}

TEST_CASE("the queue finds the first ticket in whatever order the system keeps locks",
          "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  const LockFile file(dir / "lock", environment.environment);
  Bystander late(dir / "lock");
  Bystander early(dir / "lock");
  // The system keeps the locks of one file description together.
  late.lock_byte(5);
  const auto first = early.queue().join();
  REQUIRE(late.queue().join());
  Bystander asking(dir / "lock");
  CHECK(asking.queue().first() == first);
}

TEST_CASE("who gives up waiting wakes the next, in case it had been woken itself", "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  LockFile holder(dir / "lock", environment.environment);
  LockFile waiter(dir / "lock", environment.environment);
  Bystander next(dir / "lock");
  REQUIRE(holder.try_lock(Byte::writer));
  REQUIRE(next.queue().join());
  std::uint32_t wakes = 0;
  environment.faults.arm([&](std::string_view) { wakes = next.queue().wakes(); });
  CHECK_THROWS_AS(waiter.lock(Byte::writer, 0ms), Busy);
  CHECK(next.queue().wakes() != wakes);
}

TEST_CASE("a wake-up between looking and waiting is not lost", "[storage]") {
  TempDir dir;
  TestEnvironment environment;
  const LockFile file(dir / "lock", environment.environment);
  Bystander waiting(dir / "lock");
  Bystander waking(dir / "lock");
  const auto ticket = waiting.queue().join();
  REQUIRE(ticket);
  const auto seen = waiting.queue().wakes();
  waking.queue().wake(*ticket);
  CHECK(waiting.queue().wait(*ticket, seen, kPatient));
  CHECK_FALSE(waiting.queue().wait(*ticket, waiting.queue().wakes(), 1us));
}

TEST_CASE("waiting in the queue leaves the commit counter as it is", "[storage]") {
  Fixture f;
  REQUIRE(f.first.try_lock(Byte::writer));
  f.first.count_commit();
  CHECK(std::filesystem::file_size(f.dir / "lock") == 16);
  LockFile second(f.dir / "lock", f.environment);
  CHECK_THROWS_AS(second.lock(Byte::writer, 1ms), Busy);
  CHECK(second.commits() == 1);
  CHECK(std::filesystem::file_size(f.dir / "lock") == 32);
}
