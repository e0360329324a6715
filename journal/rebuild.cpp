#include <holdfast/journal/rebuild.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/projection_failures.h>
#include <holdfast/journal/projection_follower.h>
#include <holdfast/journal/projection_retry.h>
#include <holdfast/storage/guard.h>
#include <holdfast/storage/lease.h>

#include "generation_writer.h"

namespace holdfast::journal {
namespace {

constexpr std::size_t kProblemsMax = 1000;
constexpr std::size_t kDropAtOnce = 1000;
constexpr std::size_t kOwnerBytesMax = 200;
constexpr std::chrono::milliseconds kLeaseMin{1};
constexpr std::chrono::milliseconds kLeaseMax = std::chrono::hours(24);

DeclaredProjection require_declared(storage::Transaction& transaction, std::string_view space,
                                    const std::string& name) {
  auto declared = find_declared(transaction, space, name);
  if (!declared) throw NotFound("projection", name);
  return *std::move(declared);
}

/// Drops a generation that is being built. A projection that never served is then declared no
/// longer; one that serves is declared as what serves.
void abandon(storage::Transaction& transaction, std::string_view space,
             const Generation& generation) {
  drop_generation(transaction, space, generation);
  const auto serving =
      find_generation(transaction, space, generation.projection, GenerationState::serving);
  if (!serving) {
    undeclare_projection(transaction, space, generation.projection);
  } else {
    // What was to be is given up with it.
    redeclare_projection(transaction, space, generation.projection, serving->declaration,
                         serving->options);
  }
}

/// One run of one process: claims the lease, and asks in each of its transactions whether the
/// lease is still its own.
class Rebuild {
 public:
  Rebuild(const ProjectionSite& site, std::string_view name, const RebuildOptions& options,
          const RebuildControl& control)
      : site_(site), name_(name), options_(options), control_(control) {}

  RebuildReport run() {
    check_rebuild_options(options_);
    claim();
    try {
      report_.dropped += remove_dropped(site_);
      begin();
      report_.end = build();
      if (report_.end == RebuildEnd::refused) give_up();
      const bool is_over =
          report_.end != RebuildEnd::stopped && report_.end != RebuildEnd::incomplete;
      if (is_over) drop_old();
    } catch (...) {
      release();
      throw;
    }
    release();
    return std::move(report_);
  }

 private:
  void claim() {
    const std::string run = to_string(site_.environment.ids.next());
    const std::string owner = options_.owner.empty() ? run : options_.owner + ", run " + run;
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      (void)require_declared(transaction, site_.space, name_);
      const auto lease =
          storage::claim_lease(transaction, site_.space, rebuild_lease_name(name_), owner,
                               site_.environment.clock.now(), options_.lease);
      if (!lease) refuse_claim(transaction);
      lease_ = *lease;
    });
  }

  [[noreturn]] void refuse_claim(storage::Transaction& transaction) const {
    const auto held =
        storage::find_lease(transaction, site_.space, rebuild_lease_name(name_)).value();
    throw Busy("projection " + name_ + " is being rebuilt by " + held.owner +
               ", whose lease ends at " + to_rfc3339(held.expires_at) +
               " unless it is renewed; wait, or cancel that rebuild");
  }

  /// Each transaction of the work begins with this: whoever has lost the lease writes nothing.
  void renew(storage::Transaction& transaction) {
    if (storage::renew_lease(transaction, lease_, site_.environment.clock.now(),
                             options_.lease)) {
      return;
    }
    throw Conflict("the rebuild of projection " + name_ +
                   " was taken over by another process, as this one had shown no sign of life "
                   "for longer than its lease; nothing more was written");
  }

  void release() noexcept {
    try {
      in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
        storage::release_lease(transaction, lease_);
      });
    } catch (...) {
      // It ends by itself.
    }
  }

  /// Finds the generation to go on with, or begins one.
  void begin() {
    std::optional<Generation> generation;
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail& tail) {
      renew(transaction);
      const auto declared = require_declared(transaction, site_.space, name_);
      const Projection& projection = site_.registry.projection(declared.type);
      const std::string rules = signature(projection, declared.declaration);
      const auto serving =
          find_generation(transaction, site_.space, name_, GenerationState::serving);
      replaced_ = serving ? std::optional(serving->number) : std::nullopt;
      // What other rules made cannot be kept with the rows, so it cannot serve on.
      const bool is_outdated = serving && serving->signature != rules;
      if (is_outdated && declared.upkeep == Upkeep::in_transaction) {
        drop_generation(transaction, site_.space, *serving);
        replaced_.reset();
      }
      generation = find_generation(transaction, site_.space, name_, GenerationState::building);
      if (generation && (options_.restart || generation->signature != rules)) {
        drop_generation(transaction, site_.space, *generation);
        generation.reset();
      }
      report_.was_resumed = generation && (generation->walk_kind || generation->walk_done);
      if (!generation) {
        generation = begin_generation(transaction, site_.space, declared, rules, tail,
                                      site_.environment.clock.now());
      } else if (generation->failed > 0) {
        // What clashed is known to the run that found it; to name it, it is found again.
        restart_walk(transaction, site_.space, *generation, tail);
      }
    });
    writer_.emplace(site_, *std::move(generation));
    report_.generation = writer_->generation().number;
    progress_ = {.projection = name_,
                 .generation = report_.generation,
                 .step = "walk",
                 .done = writer_->generation().walked,
                 .total = writer_->count_sources()};
  }

  RebuildEnd build() {
    // What clashed may be gone by the end of a long walk, and others' writes may have clashed
    // beside it: a second one, which derives nothing anew, tells how it stands.
    for (bool is_second = false;; is_second = true) {
      const auto end = walk_and_swap();
      if (end != RebuildEnd::refused || is_second) return end;
      restart();
    }
  }

  RebuildEnd walk_and_swap() {
    const auto walked = writer_->generation().walk_done ? RebuildEnd::swapped : walk();
    if (walked != RebuildEnd::swapped) return walked;
    if (report_.was_resumed) {
      const auto retried = retry();
      if (retried != RebuildEnd::swapped) return retried;
    }
    if (!may_serve_with(failures())) return RebuildEnd::incomplete;
    if (!writer_->generation().walk_done && !finish()) {
      return is_gone_ ? RebuildEnd::cancelled : RebuildEnd::refused;
    }
    return swap();
  }

  RebuildEnd walk() {
    for (;;) {
      auto batch = writer_->read_on(options_.batch);
      if (batch.empty()) return RebuildEnd::swapped;
      writer_->derive(batch);
      const auto started = site_.environment.clock.elapsed();
      write(batch);
      if (is_gone_) return RebuildEnd::cancelled;
      make_way(site_.environment.clock.elapsed() - started);
      report_.walked = progress_.done = writer_->generation().walked;
      if (!go_on()) return RebuildEnd::stopped;
    }
  }

  /// What an earlier run could derive nothing from is tried once more.
  RebuildEnd retry() {
    progress_.step = "retry";
    bool is_stopped = false;
    const auto retried = retry_failures(site_, writer_->generation(), {}, [&](std::uint64_t done) {
      progress_.done = done;
      is_stopped = !go_on();
      return !is_stopped;
    });
    for (const auto& [outcome, count] : retried.outcomes) report_.outcomes[outcome] += count;
    report_.problems_total += retried.problems.size();
    for (const DerivedProblem& problem : retried.problems) keep_problem(problem);
    return is_stopped ? RebuildEnd::stopped : RebuildEnd::swapped;
  }

  std::uint64_t failures() const {
    const auto snapshot = site_.database.snapshot();
    return count_failures(snapshot->transaction(), site_.space, writer_->generation());
  }
  bool may_serve_with(std::uint64_t failures) const {
    return options_.allow_failures || failures == 0;
  }

  void keep_problem(const DerivedProblem& problem) {
    if (report_.problems.size() < kProblemsMax) report_.problems.push_back(problem);
  }

  /// Where others write, a pause of a quarter of its time follows each batch, so that they do not
  /// meet the next one at once.
  void make_way(std::chrono::microseconds took) {
    const std::uint64_t commits = site_.database.commits();
    const bool is_alone = commits <= commits_ + 1;
    commits_ = commits;
    if (!is_alone) site_.environment.clock.sleep_for(took / 4);
  }

  void write(const std::vector<GenerationWriter::Read>& batch) {
    Generation& generation = writer_->generation();
    GenerationWriter::Written written;
    std::uint64_t skipped = 0;
    site_.environment.faults.at("projection.lock");
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      renew(transaction);
      written = writer_->write(transaction, batch);
      Generation next = generation;
      skipped = next.skipped += written.skipped;
      if (!written.is_wrong_generation) {
        save_walk(transaction, site_.space, next, written.clashes);
      }
    });
    generation.skipped = skipped;
    is_gone_ = written.is_wrong_generation;
    for (const auto& [outcome, count] : written.outcomes) report_.outcomes[outcome] += count;
    report_.problems_total += written.problems.size();
    for (const DerivedProblem& problem : written.problems) keep_problem(problem);
  }

  /// The watermark becomes the tail at which the walk began: what it skipped has a newer event
  /// behind that, which whoever follows takes in.
  bool finish() {
    bool is_done = false;
    site_.environment.faults.at("projection.watermark");
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      renew(transaction);
      is_gone_ = !is_written(transaction, site_.space, writer_->generation());
      is_done = finish_walk(transaction, site_.space, writer_->generation());
    });
    return is_done;
  }

  void restart() {
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail& tail) {
      renew(transaction);
      restart_walk(transaction, site_.space, writer_->generation(), tail);
    });
    report_.problems.clear();
    report_.problems_total = 0;
  }

  RebuildEnd swap() {
    progress_.step = "follow";
    if (follow_projection(site_, name_).events > 0 && !go_on()) return RebuildEnd::stopped;
    if (options_.prepare && !prepare()) return RebuildEnd::stopped;
    bool is_swapped = false;
    bool is_complete = true;
    site_.environment.faults.at("projection.swap");
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      renew(transaction);
      is_gone_ = !is_written(transaction, site_.space, writer_->generation());
      // The last events may have brought some.
      is_complete = storage::holds(
          "projection.swap", "failures",
          may_serve_with(count_failures(transaction, site_.space, writer_->generation())));
      is_swapped = is_complete && swap_generations(transaction, site_.space,
                                                   writer_->generation(), replaced_);
    });
    if (is_swapped) return RebuildEnd::swapped;
    if (!is_complete && !is_gone_) return RebuildEnd::incomplete;
    return is_gone_ ? RebuildEnd::cancelled : RebuildEnd::refused;
  }

  /// False when the control has stopped it.
  bool prepare() {
    progress_.step = "prepare";
    bool is_stopped = false;
    options_.prepare(writer_->generation(), [&] {
      in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
        renew(transaction);
      });
      is_stopped = is_stopped || !go_on();
      return !is_stopped;
    });
    if (is_stopped) return false;
    // It took its time.
    (void)follow_projection(site_, name_);
    return true;
  }

  void give_up() {
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      renew(transaction);
      abandon(transaction, site_.space, writer_->generation());
    });
  }

  void drop_old() {
    site_.environment.faults.at("projection.drop");
    progress_ = {.projection = name_, .generation = report_.generation, .step = "drop"};
    report_.dropped += remove_dropped(site_, [&](const RebuildProgress& progress) {
      progress_.done = progress.done;
      return go_on();
    });
  }

  bool go_on() const { return !control_ || control_(progress_); }

  const ProjectionSite& site_;
  std::string name_;
  const RebuildOptions& options_;
  const RebuildControl& control_;
  storage::Lease lease_;
  std::optional<GenerationWriter> writer_;
  std::optional<std::uint64_t> replaced_;  ///< the serving generation, when the work began
  std::uint64_t commits_ = 0;              ///< of the database, after the last batch
  bool is_gone_ = false;                   ///< the generation is no longer written to
  RebuildProgress progress_;
  RebuildReport report_;
};

}  // namespace

std::string_view to_string(RebuildEnd end) {
  switch (end) {
    case RebuildEnd::swapped: return "swapped";
    case RebuildEnd::stopped: return "stopped";
    case RebuildEnd::cancelled: return "cancelled";
    case RebuildEnd::refused: return "refused";
    case RebuildEnd::incomplete: return "incomplete";
  }
  return "unknown";
}

void check_rebuild_options(const RebuildOptions& options) {
  if (options.batch < 1 || options.batch > core::kRebuildBatchMax) {
    throw InvalidArgument("batch", std::to_string(options.batch), "be 1 to 10,000 sources");
  }
  if (options.lease < kLeaseMin || options.lease > kLeaseMax) {
    throw InvalidArgument("lease", std::to_string(options.lease.count()) + " ms",
                          "be 1 ms to 24 hours");
  }
  if (options.owner.size() > kOwnerBytesMax || !core::is_text(options.owner)) {
    throw InvalidArgument("owner", options.owner, "be up to 200 bytes of UTF-8 without U+0000");
  }
}

RebuildReport rebuild(const ProjectionSite& site, std::string_view projection,
                      const RebuildOptions& options, const RebuildControl& control) {
  return Rebuild(site, projection, options, control).run();
}

bool cancel_rebuild(const ProjectionSite& site, std::string_view projection) {
  const std::string name(projection);
  bool was_building = false;
  in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
    (void)require_declared(transaction, site.space, name);
    const auto building =
        find_generation(transaction, site.space, name, GenerationState::building);
    was_building = building.has_value();
    if (building) abandon(transaction, site.space, *building);
  });
  remove_dropped(site);
  return was_building;
}

std::uint64_t remove_dropped(const ProjectionSite& site, const RebuildControl& control) {
  std::vector<Generation> dropping;
  {
    const auto snapshot = site.database.snapshot();
    for (Generation& generation : all_generations(snapshot->transaction(), site.space)) {
      if (generation.state == GenerationState::dropping) dropping.push_back(std::move(generation));
    }
  }
  RebuildProgress progress;
  progress.step = "drop";
  for (const Generation& generation : dropping) {
    progress.projection = generation.projection;
    progress.generation = generation.number;
    for (std::uint64_t removed = 1; removed > 0;) {
      in_locked_space(site, [&](storage::Transaction& transaction, const Tail&) {
        removed =
            remove_some_of(transaction, site.registry, site.space, generation, kDropAtOnce);
      });
      progress.done += removed;
      if (control && !control(progress)) return progress.done;
    }
  }
  return progress.done;
}

}  // namespace holdfast::journal
