#include <holdfast/journal/rebuild.h>

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/projection_failures.h>
#include <holdfast/journal/projection_follower.h>
#include <holdfast/journal/projection_retry.h>
#include <holdfast/journal/projection_status.h>
#include <holdfast/storage/guard.h>
#include <holdfast/storage/lease.h>

#include "generation_writer.h"
#include "rebuild_end.h"

namespace holdfast::journal {
namespace {

constexpr std::size_t kProblemsMax = 1000;

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
    writer_.emplace(site_, *std::move(generation), options_.anew);
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
    if (lacks_given()) {
      report_waiting();
      return RebuildEnd::incomplete;
    }
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

  /// Where derived rows come with the writes: whether fewer sources have theirs than before.
  bool lacks_given() const {
    const Generation& generation = writer_->generation();
    const Projection& projection = site_.registry.projection(generation.type);
    if (options_.allow_failures || projection.can_derive(generation.declaration)) return false;
    const auto snapshot = site_.database.snapshot(storage::ReaderAge::unbounded);
    storage::Transaction& transaction = snapshot->transaction();
    const auto serving =
        find_generation(transaction, site_.space, name_, GenerationState::serving);
    if (!serving) return false;
    return count_waiting(transaction, generation) > count_waiting(transaction, *serving);
  }

  std::uint64_t count_waiting(storage::Transaction& transaction, const Generation& of) const {
    const auto counts = count_sources(transaction, site_.registry, site_.space, of);
    return counts.stale + counts.missing;
  }

  void report_waiting() {
    const Generation& generation = writer_->generation();
    const auto snapshot = site_.database.snapshot(storage::ReaderAge::unbounded);
    storage::Transaction& transaction = snapshot->transaction();
    report_.waiting = count_waiting(transaction, generation);
    report_.problems_total += report_.waiting;
    for (const WaitingSource& source : list_waiting(transaction, site_.registry, site_.space,
                                                    generation, kProblemsMax)) {
      keep_problem({.kind = source.kind,
                    .id = source.id,
                    .detail = std::string(source.is_missing ? "missing" : "stale") +
                              ": its writer has given nothing for generation " +
                              std::to_string(generation.number) + " yet"});
    }
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
    const auto stopped = GenerationWriter::stopped(batch);
    site_.environment.faults.at("projection.lock");
    in_locked_space(site_, [&](storage::Transaction& transaction, const Tail&) {
      renew(transaction);
      written = writer_->write(transaction, batch);
      Generation next = generation;
      skipped = next.skipped += written.skipped;
      if (!written.is_wrong_generation && !stopped) {
        save_walk(transaction, site_.space, next, written.clashes);
      }
    });
    if (stopped) std::rethrow_exception(stopped);
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
    if (follow().events > 0 && !go_on()) return RebuildEnd::stopped;
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

  /// The new generation alone: what it is to replace may be beyond being kept up.
  FollowReport follow() const {
    return follow_projection(site_, name_, {.generation = writer_->generation().number});
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
    (void)follow();
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

RebuildReport rebuild(const ProjectionSite& site, std::string_view projection,
                      const RebuildOptions& options, const RebuildControl& control) {
  return Rebuild(site, projection, options, control).run();
}

}  // namespace holdfast::journal
