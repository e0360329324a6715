#include "crash/vector_scene.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <holdfast/core/error.h>

#include "crash/vector_judge.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kPeople = 14;
constexpr int kNotes = 4;

/// One write, which a kill does not take apart.
void append(const fs::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const auto written = ::write(file, text.data(), text.size());
  ::close(file);
  if (written != static_cast<ssize_t>(text.size())) throw std::runtime_error("cannot take notes");
}

void add_person(const Space& space, const std::string& name, const WriteOptions& options = {}) {
  Entity row;
  row.kind = "person";
  row.name = name;
  (void)space.entities().insert_if_absent(row, options);
}

/// Three chunks, of a sentence each.
std::string content(const std::string& which) {
  return "Note " + which + " begins. Note " + which + " goes on. Note " + which + " ends.";
}

std::string other_than(const EmbedderSpec& spec) {
  return std::get<CallerEmbedderSpec>(spec).name == "a" ? "b" : "a";
}

}  // namespace

NotingEmbedder::NotingEmbedder(std::string name, fs::path notes)
    : name_(std::move(name)),
      fake_(kSceneDimension, seed_of(name_)),
      notes_(std::move(notes)) {}

std::vector<Embedding> NotingEmbedder::embed(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all += name_ + " " + text + "\n";
  append(notes_, all);
  return fake_.embed(texts);
}

VectorScene::VectorScene() {
  fs::create_directory(dir_ / "db");
  const auto store = open();
  const Space space = store->create_space("main", "tester");
  for (int i = 0; i < kPeople; ++i) add_person(space, "person " + std::to_string(i));
  for (int i = 0; i < kNotes; ++i) {
    Note note;
    note.kind = "observation";
    note.content = content(std::to_string(i));
    REQUIRE(space.notes().insert_if_absent(note).applied());
  }
}

Model VectorScene::model(const std::string& embedder) {
  Model model{.name = "m",
              .dimension = static_cast<std::int64_t>(kSceneDimension),
              .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = embedder};
  model.chunking = {.chunk_chars = 30};
  return model;
}

IndexParameters VectorScene::parameters() {
  return {.m = 8, .ef_construction = 40, .exact_max = 0};
}

journal::RebuildOptions VectorScene::rebuilding() { return {.batch = 4, .lease = 1ms}; }
EmbedOptions VectorScene::embedding() { return {.batch = 4, .lease = 1ms}; }

void VectorScene::rebuild(const Space& space) {
  const Models models = space.models();
  const auto status = models.status("m");
  const Model& serving = status.serving.value().model;
  RebuildModelOptions options{.rebuild = rebuilding()};
  if (status.declared.model.embedder == serving.embedder) {
    options.model = model(other_than(serving.embedder));
  }
  const auto report = models.rebuild("m", options);
  if (report.end != journal::RebuildEnd::swapped) {
    throw std::runtime_error("the rebuild ended as " + std::string(to_string(report.end)));
  }
}

void VectorScene::edit(const Space& space, int round) {
  const std::string name = std::to_string(round);
  const auto people = space.entities().list({}, {.limit = 1000}).items;
  const auto at = [&](int i) {
    return people[static_cast<std::size_t>(round * 3 + i) % people.size()].id;
  };
  (void)space.entities().update(at(0), [&](Entity& row) { row.name = "changed " + name; });
  (void)space.entities().remove(at(1));
  if (round % 2 == 0) (void)space.entities().restore(at(1));
  if (round % 3 == 0) (void)space.entities().purge(at(1));
  const auto notes = space.notes().list({}, {.limit = 1000}).items;
  const auto which = notes[static_cast<std::size_t>(round) % notes.size()].id;
  (void)space.notes().update(which, [&](Note& row) { row.content = content(name + "c"); });
  add_person(space, "new " + name);
  const auto serving = space.models().status("m").serving;
  if (!serving) return;
  const FakeEmbedder fake(kSceneDimension, seed_of(embedder_name(serving->model)));
  const std::string given = "given " + name;
  add_person(space, given, {.vectors = {{.model = "m", .vectors = {fake.vector_of(given)}}}});
}

std::unique_ptr<Store> VectorScene::open(core::Environment* environment,
                                         bool in_background) const {
  StoreOptions options;
  options.database.path = database();
  options.database.durability = storage::Durability::normal;
  options.database.busy_limit = 50ms;  // one that was stopped may have the lock in its hands
  options.environment = environment;
  options.vector_index.background = in_background;
  options.vector_index.threads = 1;
  options.vector_index.tail_max = 4;
  for (const std::string name : {"a", "b"}) {
    options.embedders[name] = std::make_shared<NotingEmbedder>(name, dir_ / "embedded");
  }
  return Store::open(options);
}

std::vector<std::string> VectorScene::files() const { return files_in(folder()); }

pid_t VectorScene::start(int signal, const Choice& choice, const Work& work, bool in_background) {
  const int number = ++children_;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child > 0) return child;
  int code = 1;
  try {
    TestEnvironment environment(static_cast<std::uint64_t>(number));
    environment.clock.set(core::SystemClock().now());
    int count = 0;
    std::mutex mutex;
    std::set<std::string> seen = passed();
    bool is_armed = false;
    environment.faults.arm([&](std::string_view name) {
      const std::lock_guard lock(mutex);
      if (!is_armed) return;
      const std::string point(name);
      if (seen.insert(point).second) append(dir_ / "passed", point + "\n");
      if (!choice(count++, point)) return;
      append(dir_ / "hit", point + "\n");
      kill(getpid(), signal);
    });
    const auto store = open(&environment.environment, in_background);
    const Space space = store->space("main", "child");
    work({space, [&] {
            const std::lock_guard lock(mutex);
            is_armed = true;
          }, number});
    code = 0;
  } catch (const Conflict&) {
    code = kConflict;
  } catch (const Busy&) {
    code = kBusy;
  } catch (const std::exception& error) {
    append(dir_ / "errors", std::string(error.what()) + "\n");
  }
  _exit(code);
}

VectorScene::Judgement VectorScene::judge() const {
  const fs::path copy = dir_ / "copy";
  fs::remove_all(copy);
  fs::copy(dir_ / "db", copy, fs::copy_options::recursive);
  Judgement judgement;
  StoreOptions options;
  options.database.path = copy / "test.db";
  options.vector_index.background = false;
  for (const std::string name : {"a", "b"}) {
    options.embedders[name] = std::make_shared<FakeEmbedder>(kSceneDimension, seed_of(name));
  }
  for (const std::string& error : lines("errors")) judgement.wrong += "a child: " + error;
  if (!judgement.wrong.empty()) return judgement;
  VectorJudge judge(options);
  judgement.wrong = judge.look();
  judgement.stored = judge.stored();
  judgement.is_served = judge.is_served();
  return judgement;
}

std::set<std::string> VectorScene::lines(const std::string& name) const {
  std::set<std::string> found;
  std::ifstream in(dir_ / name);
  for (std::string line; std::getline(in, line);) found.insert(line);
  return found;
}

int wait_for(pid_t child, int options) {
  int status = -1;
  REQUIRE(waitpid(child, &status, options) == child);
  return status;
}

}  // namespace holdfast::test
