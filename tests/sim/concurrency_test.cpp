#include <atomic>
#include <cstdlib>

#include "sim/counter.h"
#include "sim/processes.h"
#include "sim/system_store.h"
#include "support/catch.h"
#include "support/history_check.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

constexpr int kTimes = 1000;

Entity counter() {
  Entity entity;
  set_count(entity, 0);
  return entity;
}

void increment(const Space& space, EntityId id) {
  const auto result =
      space.entities().update(id, [](Entity& row) { set_count(row, count_of(row) + 1); });
  if (!result.applied()) std::abort();
}

/// Replaces rows and writes down what it did: a thread's part of a history.
class Writer {
 public:
  Writer(const Space& space, const std::vector<EntityId>& rows, std::uint64_t seed,
         std::atomic<std::uint64_t>& tick)
      : space_(space), rows_(rows), random_(seed), tick_(tick) {}

  void write(int times) {
    for (int i = 0; i < times; ++i) {
      const std::uint64_t row = random_.below(rows_.size());
      const Entity read = this->read(row);
      if (random_.below(4) > 0) replace(row, read);
    }
  }
  const std::vector<Operation>& done() const { return done_; }

 private:
  Entity read(std::uint64_t row) {
    Operation operation{.row = row, .answer = Operation::Answer::read, .called = ++tick_};
    Entity entity = space_.entities().get(rows_[row]);
    operation.returned = ++tick_;
    operation.revision = entity.revision.us;
    done_.push_back(operation);
    return entity;
  }

  void replace(std::uint64_t row, Entity entity) {
    Operation operation{.row = row, .called = ++tick_, .expected = entity.revision.us};
    set_count(entity, static_cast<std::int64_t>(operation.called));
    const auto result = space_.entities().replace(entity, as_read(entity));
    operation.returned = ++tick_;
    operation.answer =
        result.applied() ? Operation::Answer::applied : Operation::Answer::refused;
    operation.revision = result.current.value().revision.us;
    done_.push_back(operation);
  }

  const Space& space_;
  const std::vector<EntityId>& rows_;
  core::Random random_;
  std::atomic<std::uint64_t>& tick_;
  std::vector<Operation> done_;
};

std::size_t answers(const History& history, Operation::Answer answer) {
  std::size_t count = 0;
  for (const Operation& operation : history.operations) count += operation.answer == answer;
  return count;
}

}  // namespace

TEST_CASE("two threads that increment one property 1,000 times each make 2,000", "[sim]") {
  SystemStore s;
  const EntityId id = s.add(counter()).id;
  at_once(2, [&](std::size_t) {
    for (int i = 0; i < kTimes; ++i) increment(*s.space, id);
  });
  CHECK(count_of(s.space->entities().get(id)) == 2 * kTimes);
  CHECK(s.space->entities().history(id, {.limit = 10'000, .cursor = {}}).items.size() ==
        2 * kTimes + 1);
}

TEST_CASE("two processes that increment one property 1,000 times each make 2,000", "[sim]") {
  SystemStore s;
  const EntityId id = s.add(counter()).id;
  Processes processes;
  for (const std::string actor : {"first", "second"}) {
    processes.start({HOLDFAST_COUNTER_WORKER, s.options.database.path.string(), "normal", "main",
                     actor, to_string(id), std::to_string(kTimes)});
  }
  CHECK(processes.go() == std::vector<int>{0, 0});
  CHECK(count_of(s.space->entities().get(id)) == 2 * kTimes);
  const auto events = s.space->entities().history(id, {.limit = 10'000, .cursor = {}}).items;
  REQUIRE(events.size() == 2 * kTimes + 1);
  std::size_t turns = 0;
  for (std::size_t i = 2; i < events.size(); ++i) {
    turns += events[i].actor != events[i - 1].actor;
  }
  INFO("turns taken: " << turns);
  CHECK(turns > 3);  // they ran beside each other, not one after the other
  CHECK(s.store->verify().is_clean());
}

TEST_CASE("what sixteen threads see of ten rows is a history of rows under guard", "[sim]") {
  SystemStore s;
  std::vector<EntityId> rows;
  History history;
  for (std::uint64_t row = 0; row < 10; ++row) {
    const Entity entity = s.add(counter());
    rows.push_back(entity.id);
    history.initial[row] = entity.revision.us;
  }
  std::atomic<std::uint64_t> tick{0};
  std::vector<std::unique_ptr<Writer>> writers;
  for (std::uint64_t i = 0; i < 16; ++i) {
    writers.push_back(std::make_unique<Writer>(*s.space, rows, i + 1, tick));
  }
  at_once(writers.size(), [&](std::size_t i) { writers[i]->write(150); });
  for (const auto& writer : writers) {
    history.operations.insert(history.operations.end(), writer->done().begin(),
                              writer->done().end());
  }
  INFO("applied " << answers(history, Operation::Answer::applied) << ", refused "
                  << answers(history, Operation::Answer::refused));
  CHECK(check_history(history) == std::vector<std::string>{});
  CHECK(answers(history, Operation::Answer::applied) > 100);
  CHECK(answers(history, Operation::Answer::refused) > 10);
  CHECK(s.store->verify().is_clean());
}
