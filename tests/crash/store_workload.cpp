#include "store_workload.h"

#include <array>
#include <functional>
#include <vector>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/journal/journal.h>

#include "support/writer_batch.h"

namespace holdfast::test {
namespace {

EntityId entity_id(int number) {
  return {uuid_v5(Uuid{}, "entity " + std::to_string(number))};
}
EdgeId edge_id(int number) {
  return {uuid_v5(Uuid{}, "edge " + std::to_string(number))};
}
NoteId note_id() {
  return {uuid_v5(Uuid{}, "note")};
}

Entity entity(int number, std::size_t filler_bytes = 0) {
  Entity made;
  made.id = entity_id(number);
  made.kind = "person";
  made.name = "entity " + std::to_string(number);
  made.properties =
      JsonObject::parse("properties", "{\"filler\":\"" + std::string(filler_bytes, 'x') + "\"}");
  return made;
}

Edge edge(int number, int source, int target) {
  Edge made;
  made.id = edge_id(number);
  made.source = entity_id(source);
  made.relation = "knows";
  made.target = entity_id(target);
  return made;
}

std::vector<Event> all_events(Store& store) {
  const auto names = store.spaces().items;
  if (names.empty()) return {};
  const auto snapshot = store.database().snapshot();
  return journal::read_after(snapshot->transaction(), "main", 0, 10'000);
}

std::string compare(const std::vector<Event>& events, const Told& told, bool may_lose_commits) {
  for (const auto& [seq, request_id] : told.acknowledged) {
    if (seq > events.size()) {
      if (may_lose_commits) break;
      return "lost: acknowledged sequence " + std::to_string(seq) + " of a journal that ends at " +
             std::to_string(events.size());
    }
    const Event& event = events[seq - 1];
    if (!request_id.empty() && event.request_id != request_id) {
      return "replaced: sequence " + std::to_string(seq) + " is another write's";
    }
  }
  std::set<std::string> known = told.unknown;
  for (const auto& entry : told.acknowledged) known.insert(entry.second);
  std::map<std::string, std::size_t> plans;
  for (const Event& event : events) {
    if (event.kind != "space" && !known.contains(event.request_id)) {
      return "invented: sequence " + std::to_string(event.seq) + " was never acknowledged";
    }
    if (told.plans.contains(event.request_id)) ++plans[event.request_id];
  }
  for (const auto& [request_id, count] : plans) {
    if (count != told.plans.at(request_id)) return "split: a plan is there in part";
  }
  return "";
}

}  // namespace

void Told::acknowledge(const PlanResult& result) {
  if (!result.applied()) return;
  for (const StepResult& step : result.steps) {
    if (step.seq != 0) acknowledged[step.seq] = result.request_id;
  }
}

void Told::add(const Told& other) {
  acknowledged.insert(other.acknowledged.begin(), other.acknowledged.end());
  unknown.insert(other.unknown.begin(), other.unknown.end());
  errors.insert(other.errors.begin(), other.errors.end());
  refused += other.refused;
}

StoreOptions store_on(const CrashDisk& disk, const std::filesystem::path& locks,
                      TestEnvironment& environment) {
  StoreOptions options;
  options.database.path = "/data/main.db";
  options.database.vfs = disk.vfs_name();
  options.database.lock_path = locks;
  options.environment = &environment.environment;
  return options;
}

Workload::Workload(CrashDisk& disk, const std::filesystem::path& locks,
                   const WorkloadOptions& options)
    : environment_(options.seed),
      options_(options),
      store_options_(store_on(disk, locks, environment_)) {
  silence_warnings();
  store_options_.database.durability = options.durability;
  store_options_.database.checkpoint_pages = options.checkpoint_pages;
}

void Workload::silence_warnings() {
  core::log()->set_level(spdlog::level::off);
}

bool Workload::open() {
  space_.reset();
  store_.reset();
  try {
    store_ = Store::open(store_options_);
    space_ = std::make_unique<Space>(store_->create_space("main", "tester"));
    told_.acknowledged.try_emplace(1);
    return true;
  } catch (const Error& error) {
    ++told_.refused;
    told_.errors.insert(error.code());
    return false;
  }
}

bool Workload::prepare() {
  return open() && step([&] { return space_->entities().insert_if_absent(entity(0)); });
}

bool Workload::write_rows() {
  for (const int number : {1, 2}) {
    if (!step([&] { return space_->entities().insert_if_absent(entity(number)); })) return false;
  }
  // Larger than several pages, so that a commit is many writes.
  if (!step([&] { return space_->entities().insert_if_absent(entity(3, 9000)); })) return false;
  for (const int number : {1, 2}) {
    if (!step([&] { return space_->edges().insert_if_absent(edge(number, 0, number)); })) {
      return false;
    }
  }
  Note note;
  note.id = note_id();
  note.kind = "observation";
  note.key = "first";
  note.about = entity_id(1);
  note.content = std::string(2000, 'n');
  return step([&] { return space_->notes().insert_if_absent(note); });
}

bool Workload::write_batch() {
  std::array<Told, 4> told;
  std::vector<std::function<void()>> calls;
  for (std::size_t member = 0; member < told.size(); ++member) {
    calls.emplace_back([this, &told, member] {
      told[member].note([&] {
        return space_->entities().insert_if_absent(entity(10 + static_cast<int>(member), 300));
      });
    });
  }
  bool all_done = WriterBatch(environment_.faults).run(calls);
  for (const Told& one : told) {
    all_done = all_done && one.errors.empty();
    told_.add(one);
  }
  return all_done || !options_.stops_at_error;
}

bool Workload::change_rows() {
  environment_.clock.advance(std::chrono::seconds(1));
  const auto rename = [](Entity& row) { row.name += " renamed"; };
  const auto patch = JsonObject::parse("patch", "{\"content\":\"changed\"}");
  return step([&] { return space_->entities().update(entity_id(1), rename); }) &&
         step([&] { return space_->notes().patch(note_id(), patch); }) &&
         step([&] { return space_->entities().remove(entity_id(0)); }) &&
         step([&] { return space_->entities().restore(entity_id(0)); }) &&
         step([&] { return space_->edges().remove(edge_id(1)); }) &&
         step([&] { return space_->notes().remove(note_id()); }) &&
         step([&] { return space_->entities().remove(entity_id(3)); });
}

bool Workload::apply_plan() {
  Plan plan = space_->plan();
  plan.create(entity(20, 500));
  plan.create(edge(20, 2, 20));
  plan.patch(entity_id(2), JsonObject::parse("patch", "{\"name\":\"planned\"}"));
  plan.remove(entity_id(10));
  plan.expect_absent(entity_id(21));
  plan.retarget(edge_id(2), {.source = entity_id(20),
                             .relation = {},
                             .target = {},
                             .valid_from = {},
                             .valid_to = {}});
  told_.plans["the plan"] = 5;
  return step([&] { return space_->apply(plan, {.request_id = "the plan"}); });
}

const Told& Workload::run() {
  told_.is_finished = prepare();
  if (options_.only_creates) return told_;
  told_.is_finished = told_.is_finished && write_rows();
  if (told_.is_finished && options_.reopens) told_.is_finished = open();
  told_.is_finished = told_.is_finished && write_batch() && apply_plan() && change_rows() &&
                      told_.errors.empty();
  return told_;
}

const Told& Workload::write_more() {
  told_.is_finished = space_ != nullptr || open();
  for (const int number : {60, 61}) {
    told_.is_finished = told_.is_finished && told_.note([&] {
      return space_->entities().insert_if_absent(entity(number));
    });
  }
  return told_;
}

const Told& Workload::resume(const Told& earlier) {
  told_ = earlier;
  const std::size_t errors_before = told_.unknown.size() + static_cast<std::size_t>(told_.refused);
  if (open()) step([&] { return space_->entities().insert_if_absent(entity(50, 3000)); });
  told_.is_finished =
      errors_before == told_.unknown.size() + static_cast<std::size_t>(told_.refused);
  return told_;
}

std::string judge(CrashDisk& disk, const Told& told, const std::filesystem::path& locks,
                  bool may_lose_commits) {
  TestEnvironment environment(99);
  try {
    const auto store = Store::open(store_on(disk, locks, environment));
    const auto report = store->verify();
    if (!report.is_clean()) {
      return "verify: " + report.findings[0].check + ": " + report.findings[0].detail;
    }
    return compare(all_events(*store), told, may_lose_commits);
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
}

std::string judge(const DiskImage& image, const Told& told, const std::filesystem::path& locks,
                  bool may_lose_commits, const DiskOptions& options) {
  CrashDisk disk(image, options);
  return judge(disk, told, locks, may_lose_commits);
}

}  // namespace holdfast::test
