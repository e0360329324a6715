#include "sim/simulation.h"

#include <holdfast/journal/journal.h>

namespace holdfast::test {
namespace {

constexpr std::int64_t kFarFutureUs = 250'000'000'000'000'000;  // the year 9892

StoreOptions options(const TempDir& lock_dir, const CrashDisk& disk, TestEnvironment& environment) {
  storage::Options database;
  database.path = "/sim/main.db";
  database.durability = storage::Durability::normal;
  database.vfs = disk.vfs_name();
  database.lock_path = lock_dir / "lock";
  return {.database = database, .environment = &environment.environment};
}

}  // namespace

Simulation::Simulation(std::uint64_t seed, Marks& marks, std::vector<std::string>* log)
    : marks_(marks),
      log_(log),
      loop_(seed),
      environment_(seed),
      workload_(seed, environment_.clock.now()),
      disk_({.seed = seed}),
      store_(Store::open(options(lock_dir_, disk_, environment_))) {
  const std::uint64_t count = 2 + workload_.below(4);
  const std::size_t places = count > 2 && workload_.chance(50) ? 2 : 1;
  for (std::size_t i = 0; i < places; ++i) {
    const std::string name = "space " + std::to_string(i);
    places_.push_back(std::make_unique<Place>(
        Place{store_->create_space(name, "sim"), ModelStore(environment_.clock, name)}));
    populate(*places_.back());
  }
  spawn_clients(count);
  arm_interruptions();
}

/// Most entities are there from the start, all of one microsecond, so that edges find ends.
void Simulation::populate(Place& place) {
  for (const EntityId id : workload_.ids<Entity>()) {
    if (workload_.chance(15)) continue;
    Entity row = workload_.new_row<Entity>();
    row.id = id;
    const auto made = place.space.entities().insert_if_absent(row);
    if (made.outcome != place.model.insert_if_absent(row).outcome) throw Mismatch("populate");
  }
}

void Simulation::spawn_clients(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    auto client = std::make_unique<Client>();
    client->name = "client " + std::to_string(i);
    client->place = places_[i % places_.size()].get();
    client->steps_left = 10 + workload_.below(30);
    loop_.spawn([this, client = client.get()] {
      step(*client);
      return --client->steps_left > 0;
    });
    clients_.push_back(std::move(client));
  }
}

void Simulation::arm_interruptions() {
  environment_.faults.arm([this](std::string_view point) {
    if (is_interrupting_ || !point.ends_with("between_read_and_write")) return;
    if (!workload_.chance(15)) return;
    marks_.hit("interrupted");
    is_interrupting_ = true;
    interruption_();
    is_interrupting_ = false;
  });
}

void Simulation::run() {
  loop_.run();
  for (const auto& place : places_) compare_everything(*store_, *place, workload_);
  const auto report = store_->verify();
  if (!report.is_clean()) {
    throw Mismatch("verify: " + report.findings.front().check + " " +
                   report.findings.front().space + ": " + report.findings.front().detail);
  }
}

std::string Simulation::dump() {
  std::string text;
  for (const auto& place : places_) {
    const Space& space = place->space;
    RowFilter all{.created = {}, .changed = {}, .deleted = Deleted::include};
    for (const auto& row : read_pages(space.entities(), {all, {}, {}, {}}, 100)) {
      text += Collection<graph::EntityStore>::to_json(row) + "\n";
    }
    for (const auto& row : read_pages(space.edges(), {all, {}, {}, {}, {}}, 100)) {
      text += Collection<graph::EdgeStore>::to_json(row) + "\n";
    }
    for (const auto& row : read_pages(space.notes(), {all, {}, {}, {}, {}, true}, 100)) {
      text += Collection<notes::NoteStore>::to_json(row) + "\n";
    }
    const auto snapshot = store_->database().snapshot();
    for (const Event& event :
         journal::read_after(snapshot->transaction(), space.name(), 0, 10'000)) {
      text += std::to_string(event.seq) + " " + event.op + " " + event.request_id + " " +
              event.body.value_or("") + "\n";
    }
  }
  return text;
}

void Simulation::log(Client& client, const std::string& line) {
  if (log_) log_->push_back(client.name + " in " + client.place->space.name() + ": " + line);
}

void Simulation::step(Client& client) {
  const std::uint64_t draw = workload_.below(100);
  if (draw < 8) return step_clock();
  if (draw < 12) return step_relations(client);
  if (draw < 38) return act<Entity>(client);
  if (draw < 78) return act<Edge>(client);
  act<Note>(client);
}

/// Mostly the clock stands still, so that several writes share a microsecond.
void Simulation::step_clock() {
  auto& clock = environment_.clock;
  const std::uint64_t draw = workload_.below(10);
  if (draw < 3) return clock.advance(std::chrono::microseconds(1));
  if (draw < 6) return clock.advance(std::chrono::microseconds(workload_.below(3'000'000)));
  if (draw < 9) {
    marks_.hit("clock.stepped_back");
    return clock.set(clock.now() - std::chrono::hours(1));
  }
  if (to_us(clock.now()) < kFarFutureUs / 2) {
    marks_.hit("clock.jumped_ahead");
    return clock.set(from_us(kFarFutureUs));
  }
  marks_.hit("clock.came_home");
  clock.set(TestEnvironment().clock.now());
}

void Simulation::step_relations(Client& client) {
  Place& place = *client.place;
  if (workload_.chance(30)) {
    const auto policy = workload_.chance(60) ? RelationPolicy::open : RelationPolicy::declared;
    const Outcome got = place.space.configure({.relations = policy}).outcome;
    log(client, "policy " + std::string(to_string(policy)));
    if (got != place.model.set_policy(policy)) throw Mismatch("policy");
    return;
  }
  const Relation relation = workload_.relation();
  const auto got = place.space.declare_relation(relation);
  const auto wanted = place.model.declare(relation);
  log(client, "declare " + relation.relation + " -> " + std::string(to_string(got.outcome)));
  marks_.hit("declare." + std::string(to_string(wanted.outcome)));
  if (got.outcome != wanted.outcome || got.current != wanted.current || got.seq != wanted.seq) {
    throw Mismatch("declare " + relation.relation + ": " + std::string(to_string(got.outcome)) +
                   " instead of " + std::string(to_string(wanted.outcome)));
  }
}

}  // namespace holdfast::test
