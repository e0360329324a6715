// Writers and readers while a model is rebuilt online, everything on one core, beside the same
// without a rebuild: one thread replaces notes at FULL, one searches by vectors, each with a pause
// between its operations.
// --notes N, --seconds N of the idle phase, --batch N (0: the default), --pause-us N.

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/space/store.h>

#include "support.h"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kDimension = 384;

/// Before any thread is made: they inherit it.
void stay_on_one_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  require(sched_setaffinity(0, sizeof cores, &cores) == 0, "cannot stay on one core");
}

std::string text_of(std::mt19937& random) {
  static constexpr const char* kWords[] = {"river",  "stone",   "letter", "engine",
                                           "garden", "window",  "market", "winter",
                                           "copper", "paper",   "signal", "harbour",
                                           "table",  "forest",  "planet", "bottle"};
  std::string text;
  for (int i = 0; i < 24; ++i) {
    text += kWords[random() % std::size(kWords)];
    text += std::to_string(random() % 50) + " ";
  }
  return text;
}

/// Microseconds of operations in two phases.
struct Times {
  std::vector<double> idle;
  std::vector<double> rebuild;
};

double quantile(std::vector<double> values, double q) {
  require(!values.empty(), "a phase without an operation");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

enum class Phase { warm_up, idle, rebuild, over };

class Run {
 public:
  explicit Run(const Arguments& arguments)
      : pause_(arguments["pause-us"]), idle_for_(arguments["seconds"]) {
    StoreOptions options;
    options.database.path = folder_.file("rebuild.db");
    store_ = Store::open(options);
    space_.emplace(store_->create_space("bench", "bench"));
    fill(arguments["notes"]);
    Model model{.name = "m", .dimension = kDimension, .metric = Metric::cosine};
    model.sources = {{.kind = "note", .paths = {"/content"}}};
    CreateModelOptions create;
    create.rebuild.batch = 1000;
    require(space_->models().create(model, {}, create).outcome == ModelOutcome::created,
            "the model was not made");
    space_->load_index("m");
    if (arguments["batch"] > 0) options_.rebuild.batch = arguments["batch"];
    options_.rebuild.anew = true;
  }

  void run() {
    std::thread writing([this] { write(); });
    std::thread reading([this] { read(); });
    try {
      core::SystemClock().sleep_for(std::chrono::seconds(1));
      phase_ = Phase::idle;
      core::SystemClock().sleep_for(idle_for_);
      phase_ = Phase::rebuild;
      const auto begin = Clock::now();
      const auto report = space_->models().rebuild("m", options_);
      seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
      require(report.end == journal::RebuildEnd::swapped, "the rebuild did not end well");
    } catch (...) {
      phase_ = Phase::over;
      writing.join();
      reading.join();
      throw;
    }
    phase_ = Phase::over;
    writing.join();
    reading.join();
    print_line("replace", writes_);
    print_line("search", reads_);
  }

 private:
  void fill(std::size_t count) {
    constexpr std::size_t kAtOnce = 200;
    std::mt19937 random(1);
    for (std::size_t from = 0; from < count; from += kAtOnce) {
      const std::size_t end = std::min(count, from + kAtOnce);
      const auto result = space_->transact([&](Transaction& transaction) {
        for (std::size_t i = from; i < end; ++i) {
          Note note;
          note.id = {uuid_v5({}, std::to_string(i))};
          note.kind = "memo";
          note.content = text_of(random);
          (void)transaction.create(note);
        }
      });
      require(result.applied(), "notes were refused");
      for (std::size_t i = from; i < end; ++i) ids_.push_back({uuid_v5({}, std::to_string(i))});
    }
  }

  template <class Work>
  void repeat(Times& times, Work work) {
    while (phase_ != Phase::over) {
      const Phase before = phase_;
      const auto begin = Clock::now();
      work();
      const double took = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      // What spans two phases belongs to neither.
      if (phase_ == before && before == Phase::idle) times.idle.push_back(took);
      if (phase_ == before && before == Phase::rebuild) times.rebuild.push_back(took);
      core::SystemClock().sleep_for(pause_);
    }
  }

  void write() {
    std::mt19937 random(2);
    repeat(writes_, [&] {
      const std::string text = text_of(random);
      const auto result = space_->notes().update(ids_[random() % ids_.size()], [&](Note& note) {
        note.content = text;
      });
      require(result.applied(), "a note was not replaced");
    });
  }

  void read() {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    SimilarRequest request;
    request.model = "m";
    repeat(reads_, [&] {
      Embedding vector(kDimension);
      for (float& component : vector) component = normal(random);
      request.query = SimilarVector{.vector = std::move(vector)};
      require(space_->similar(request).items.size() == 10, "too few were found");
    });
  }

  void print_line(const char* what, const Times& times) const {
    const double idle = quantile(times.idle, 0.99);
    const double rebuild = quantile(times.rebuild, 0.99);
    std::printf("{\"bench\":\"rebuild\",\"name\":\"%s during a rebuild on one core\",\"batch\":%zu,"
                "\"idle_p50_us\":%.4g,\"idle_p99_us\":%.4g,\"rebuild_p50_us\":%.4g,"
                "\"rebuild_p99_us\":%.4g,\"p99_ratio\":%.3g,\"target_at_most\":2,"
                "\"idle_count\":%zu,\"rebuild_count\":%zu,\"rebuild_s\":%.3g}\n",
                what, options_.rebuild.batch, quantile(times.idle, 0.5), idle,
                quantile(times.rebuild, 0.5), rebuild, rebuild / idle, times.idle.size(),
                times.rebuild.size(), seconds_);
    std::fflush(stdout);
  }

  Folder folder_;
  std::unique_ptr<Store> store_;
  std::optional<Space> space_;
  std::vector<NoteId> ids_;
  std::chrono::microseconds pause_;
  std::chrono::seconds idle_for_;
  RebuildModelOptions options_;
  std::atomic<Phase> phase_{Phase::warm_up};
  double seconds_ = 0;
  Times writes_;  ///< of one thread until it is joined
  Times reads_;
};

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(argc, argv,
                                             {{"rounds", 1},
                                              {"notes", 20'000},
                                              {"seconds", 15},
                                              {"batch", 0},
                                              {"pause-us", 1000}});
  try {
    holdfast::bench::stay_on_one_core();
    for (std::size_t round = 0; round < arguments["rounds"]; ++round) {
      holdfast::bench::Run(arguments).run();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_rebuild: %s\n", error.what());
    return 1;
  }
  return 0;
}
