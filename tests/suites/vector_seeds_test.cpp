#include <algorithm>
#include <map>
#include <thread>

#include <holdfast/journal/projection_follower.h>
#include <holdfast/space/models.h>
#include <holdfast/vectors/chunking.h>

#include "suites/kinds.h"
#include "suites/vector_support.h"

using namespace holdfast;
using namespace holdfast::test;
using journal::RebuildEnd;

namespace {

constexpr const char* kOpenSeams[] = {"projection.load",      "projection.derive",
                                      "projection.lock",      "projection.watermark",
                                      "projection.swap",      "projection.drop"};
constexpr const char* kLockedSeams[] = {"projection.compare", "projection.write",
                                        "projection.purge"};

template <class Names>
bool is_one_of(const Names& names, std::string_view point) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return point == name; });
}

/// Workers that embed, and rebuilds to other dimensions and chunks, of three models, with live
/// writes drawn at every seam that they pass: where they hold the lock, a thread's write that has
/// to wait for them.
class Race {
 public:
  explicit Race(std::uint64_t seed) : base_(seed), random_(seed) {
    StoreOptions options = base_.options();
    options.embedders = letter_embedders();
    options.database.durability = storage::Durability::normal;  // no power is cut here
    store_ = Store::open(options);
    space_.emplace(store_->space("main", "tester"));
    for (int i = 0; i < 6; ++i) add();
    base_.environment.faults.arm([this](std::string_view point) { pass(point); });
  }
  ~Race() { settle(); }

  void run() {
    for (int i = 0; i < 2; ++i) {
      for (const char* name : kModels) end("create", [&] { return create(name); });
      for (const char* name : kModels) end("embed", [&] { return embed(name); });
      for (const char* name : kModels) end("rebuild", [&] { return rebuild(name); });
    }
    settle();
    base_.environment.faults.arm({});
    base_.environment.clock.advance(std::chrono::minutes(10));
  }

  /// Whatever the races came to: once all is taken in, each row has just the vectors of its text,
  /// under each model, and nothing is left of others.
  void check() {
    for (const char* name : kModels) {
      CAPTURE(name);
      (void)create(name);
      (void)space_->models().rebuild(name);
      (void)space_->models().embed(name);
      const auto status = space_->models().status(name);
      CHECK(status.serving->sources.stale + status.serving->sources.missing == 0);
      CHECK(status.serving->failed == 0);
      CHECK(status.serving->behind == 0);
      CHECK_FALSE(status.building.has_value());
      check_rows(*status.serving);
    }
    CHECK(broken_checks(*store_).empty());
  }

  const std::map<std::string, int>& outcomes() const { return outcomes_; }
  const std::map<std::string, int>& ends() const { return ends_; }

 private:
  static constexpr const char* kModels[] = {"alpha", "beta", "gamma"};
  /// Two are of one dimension, so that only the generation tells their vectors apart.
  static constexpr const char* kEmbedders[] = {"letters4", "letters4b", "letters6"};

  void check_rows(const ModelGeneration& serving) {
    const std::string embedder = embedder_of(serving.model);
    std::map<Uuid, std::vector<Embedding>> expected;
    for (const Note& note : space_->notes().list({}).items) {
      for (const auto chunk : vectors::split_into_chunks(note.content, serving.model.chunking)) {
        expected[note.id.uuid].push_back(LetterEmbedder::vector_of(embedder, chunk));
      }
    }
    CHECK(vectors_of(*store_, serving) == expected);
  }

  Model draw_model(const std::string& name) {
    return letter_model(name, kEmbedders[random_.below(3)], random_.below(2) == 0);
  }

  std::string create(const std::string& name) {
    if (space_->models().find(name)) return "there";
    CreateModelOptions options;
    options.rebuild = kSmall;
    return std::string(to_string(space_->models().create(draw_model(name), {}, options).outcome));
  }
  std::string embed(const std::string& name) {
    const auto report = space_->models().embed(name, {.batch = 16});
    for (const auto& [outcome, count] : report.outcomes) {
      outcomes_[outcome] += static_cast<int>(count);
    }
    return "done";
  }
  std::string rebuild(const std::string& name) {
    RebuildModelOptions options;
    if (random_.below(3) != 0) options.model = draw_model(name);
    options.rebuild = kSmall;
    const auto report = space_->models().rebuild(name, options);
    for (const auto& [outcome, count] : report.outcomes) {
      outcomes_[outcome] += static_cast<int>(count);
    }
    return std::string(to_string(report.end));
  }

  inline static const journal::RebuildOptions kSmall{.batch = 3};

  void end(const std::string& what, const std::function<std::string()>& work) {
    std::string how;
    try {
      how = work();
    } catch (const Conflict&) {
      how = "taken over";
    } catch (const NotFound&) {
      how = "dropped";
    } catch (const Busy&) {
      how = "busy";
    } catch (const Unavailable&) {
      how = "not served";
    }
    ++ends_[what + " " + how];
  }

  void pass(std::string_view point) {
    // The thread's write passes points too, and what is done at a seam passes seams of its own.
    if (std::this_thread::get_id() != loop_ || is_inside_) return;
    if (is_one_of(kLockedSeams, point)) {
      if (thread_.joinable() || random_.below(4) != 0) return;
      thread_ = std::thread([this] { try_act(); });
    } else if (is_one_of(kOpenSeams, point)) {
      settle();
      is_inside_ = true;
      if (random_.below(3) == 0) try_act();
      if (random_.below(25) == 0) meddle();
      is_inside_ = false;
    }
  }

  /// What was read of a model may be gone by the time of the write, which then does not happen; and
  /// the loop may push the clock past the age that a read of the thread may have.
  void try_act() {
    try {
      act();
    } catch (const Error&) {
    }
  }

  void settle() {
    is_inside_ = true;
    if (thread_.joinable()) thread_.join();
    is_inside_ = false;
  }

  std::string words() {
    static constexpr const char* kWords[] = {"ab", "abc", "bcd", "dcba", "aaaa"};
    std::string text;
    for (std::uint64_t i = 0; i < 1 + random_.below(4); ++i) {
      text += std::string(kWords[random_.below(5)]) + " ";
    }
    return text;
  }
  void add() {
    Note note;
    note.kind = "thought";
    note.content = words();
    written(space_->notes().insert_if_absent(note, {.vectors = given(note.content)}));
  }

  /// Now and then the writer brings the vectors itself, of the model as it serves.
  std::vector<GivenVectors> given(const std::string& text) {
    std::vector<GivenVectors> given;
    for (const char* name : kModels) {
      if (random_.below(3) != 0 || !space_->models().find(name)) continue;
      const auto status = space_->models().status(name);
      if (!status.serving) continue;
      GivenVectors vectors{.model = name, .vectors = {}, .generation = {}};
      for (const auto chunk : vectors::split_into_chunks(text, status.serving->model.chunking)) {
        vectors.vectors.push_back(
            LetterEmbedder::vector_of(embedder_of(status.serving->model), chunk));
      }
      given.push_back(std::move(vectors));
    }
    return given;
  }

  void act() {
    pass_time(base_);
    const auto rows = space_->notes().list({}).items;
    if (rows.size() < 4) return add();
    if (rows.size() > 8) return purge(rows.front().id);
    const Note& row = rows[random_.below(rows.size())];
    const auto& notes = space_->notes();
    switch (random_.below(6)) {
      case 0: edit(row); break;
      case 1: (void)notes.update(row.id, [](Note& n) { n.tags.push_back("t"); }); break;
      case 2:
        purge(row.id);
        add();
        break;
      case 3: dead_ = notes.remove(row.id).current; break;
      case 4:
        if (dead_) (void)notes.restore(dead_->id);
        dead_.reset();
        break;
      default: add(); break;
    }
  }
  void purge(NoteId id) {
    (void)space_->notes().remove(id);
    (void)space_->notes().purge(id);
  }
  void edit(Note row) {
    row.content = words();
    (void)space_->notes().replace(row, as_read(row), {.vectors = given(row.content)});
  }

  /// Somebody else takes over, cancels, declares anew, or drops the model.
  void meddle() {
    const std::string name = kModels[random_.below(3)];
    const auto models = space_->models();
    end("meddle", [&]() -> std::string {
      switch (random_.below(4)) {
        case 0:
          base_.environment.clock.advance(std::chrono::minutes(10));
          return rebuild(name);
        case 1: return models.cancel(name) ? "cancelled" : "nothing";
        case 2:
          base_.environment.clock.advance(std::chrono::minutes(10));
          return embed(name);
        default: return models.drop(name) ? "dropped" : "nothing";
      }
    });
  }

  TestStore base_;
  core::Random random_;
  std::unique_ptr<Store> store_;
  std::optional<Space> space_;
  std::optional<Note> dead_;
  const std::thread::id loop_ = std::this_thread::get_id();
  bool is_inside_ = false;
  std::thread thread_;
  std::map<std::string, int> outcomes_, ends_;
};

}  // namespace

TEST_CASE("no interleaving of live writes with workers and rebuilds leaves a stale vector",
          "[vectors][projections]") {
  std::map<std::string, int> outcomes, ends;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Race race(seed);
    race.run();
    race.check();
    for (const auto& [outcome, count] : race.outcomes()) outcomes[outcome] += count;
    for (const auto& [end, count] : race.ends()) ends[end] += count;
  }
  // The draws reach every outcome, which the caller sees, and every way in which work can end.
  for (const char* outcome :
       {"applied", "restamped", "skipped_stale", "purged", "wrong_generation"}) {
    CAPTURE(outcome);
    CHECK(outcomes[outcome] > 0);
  }
  for (const char* end : {"create created", "create cancelled", "embed done", "rebuild swapped",
                          "rebuild cancelled", "rebuild dropped"}) {
    CAPTURE(end);
    CHECK(ends[end] > 0);
  }
}
