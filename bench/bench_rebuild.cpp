// Writers and readers while a model is rebuilt online, everything on one core, beside the same
// without a rebuild: one thread replaces notes at FULL, one searches by vectors, each with a pause
// between its operations.
// --notes N, --seconds N of the idle phase, --batch N (0: the default), --pause-us N, --nice N of
// the thread that rebuilds.

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// What goes on while an operation runs: nothing, or a step of a rebuild.
enum class Phase { warm_up, idle, walk, follow, prepare, drop, over };
constexpr std::size_t kPhases = 7;
constexpr std::array kSteps = {Phase::walk, Phase::follow, Phase::prepare, Phase::drop};

Phase phase_of(const std::string& step) {
  if (step == "walk") return Phase::walk;
  if (step == "prepare") return Phase::prepare;
  return step == "drop" ? Phase::drop : Phase::follow;
}

/// Microseconds of operations, by the phase that they began in.
struct Times {
  std::array<std::vector<double>, kPhases> of;
  const std::vector<double>& in(Phase phase) const { return of[static_cast<std::size_t>(phase)]; }
  std::vector<double> rebuild() const {
    std::vector<double> all;
    for (const Phase step : kSteps) all.insert(all.end(), in(step).begin(), in(step).end());
    return all;
  }
};

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

class Run {
 public:
  explicit Run(const Arguments& arguments)
      : pause_(arguments["pause-us"]),
        idle_for_(arguments["seconds"]),
        nice_(static_cast<int>(arguments["nice"])) {
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
      if (nice_ > 0) {
        const auto thread = static_cast<id_t>(gettid());
        require(setpriority(PRIO_PROCESS, thread, nice_) == 0, "cannot be nice");
      }
      phase_ = Phase::walk;
      const auto begin = Clock::now();
      const auto report = space_->models().rebuild("m", options_, [this](const auto& progress) {
        phase_ = phase_of(progress.step);
        return true;
      });
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
      const Phase phase = phase_;
      const auto begin = Clock::now();
      work();
      const double took = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      times.of[static_cast<std::size_t>(phase)].push_back(took);
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
    SimilarRequest request;
    request.model = "m";
    repeat(reads_, [&] {
      request.query = SimilarRow{.kind = "note", .id = ids_[random() % ids_.size()].uuid};
      require(space_->similar(request).items.size() == 10, "too few were found");
    });
  }

  void print_line(const char* what, const Times& times) const {
    const double idle = quantile(times.in(Phase::idle), 0.99);
    const double rebuild = quantile(times.rebuild(), 0.99);
    std::printf("{\"bench\":\"rebuild\","
                "\"name\":\"%s during a rebuild on one core\",\"batch\":%zu,\"nice\":%d,"
                "\"idle_p50_us\":%.4g,\"idle_p99_us\":%.4g,\"rebuild_p50_us\":%.4g,"
                "\"rebuild_p99_us\":%.4g,\"p99_ratio\":%.3g,\"target_at_most\":2,"
                "\"walk_p99_us\":%.4g,\"follow_p99_us\":%.4g,\"prepare_p99_us\":%.4g,"
                "\"drop_p99_us\":%.4g,\"idle_count\":%zu,\"rebuild_count\":%zu,"
                "\"rebuild_s\":%.3g}\n",
                what, options_.rebuild.batch, nice_, quantile(times.in(Phase::idle), 0.5), idle,
                quantile(times.rebuild(), 0.5), rebuild, rebuild / idle,
                quantile(times.in(Phase::walk), 0.99), quantile(times.in(Phase::follow), 0.99),
                quantile(times.in(Phase::prepare), 0.99), quantile(times.in(Phase::drop), 0.99),
                times.in(Phase::idle).size(), times.rebuild().size(), seconds_);
    std::fflush(stdout);
  }

  Folder folder_;
  std::unique_ptr<Store> store_;
  std::optional<Space> space_;
  std::vector<NoteId> ids_;
  std::chrono::microseconds pause_;
  std::chrono::seconds idle_for_;
  int nice_;
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
                                              {"pause-us", 1000},
                                              {"nice", 0}});
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
