#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/journal/follower.h>
#include <holdfast/journal/projection_retry.h>
#include <holdfast/space/models.h>

#include "embed_lease.h"
#include "embed_site.h"
#include "models_catalog.h"
#include "reading.h"

namespace holdfast {
namespace {

void check_options(const EmbedOptions& options) {
  journal::check_rebuild_options(
      {.batch = options.batch, .lease = options.lease, .owner = options.owner});
  vectors::check_embedding_options(options.embedding);
}

/// One call of embed() or retry_failed(), with its own way of calling the embedder.
class EmbedRun {
 public:
  EmbedRun(const Access& access, std::string_view name, const EmbedOptions& options,
           const std::stop_token& stop = {})
      : access_(access),
        name_(name),
        options_(options),
        chained_(stop, [this] { enough_.request_stop(); }),
        site_(access, options.embedding, enough_.get_token()),
        lease_(access, name, options.owner, options.lease) {}

  EmbedReport catch_up() {
    if (!has_work()) return std::move(report_);
    claim();
    work();
    return std::move(report_);
  }

  EmbedReport follow() {
    Sequence end = 0;
    {
      const Reading reading(access_);
      end = reading.tail().seq;
    }
    // Each generation has a cursor of its own; this one only tells when to look.
    journal::Follower driver({.database = access_.database,
                              .environment = access_.environment,
                              .space = access_.space},
                             end > 0 ? end - 1 : 0,
                             [&](const std::vector<Event>&) { take_turn(); });
    driver.run(enough_.get_token());
    report_.was_taken_over = false;  // it has waited for the other since
    report_.was_stopped = enough_.stop_requested();
    return std::move(report_);
  }

  EmbedReport retry(std::span<const Uuid> ids) {
    std::vector<journal::Generation> generations = written();
    claim();
    for (const journal::Generation& generation : generations) {
      const auto report = journal::retry_failures(
          site_.site(), generation, ids, [&](std::uint64_t) { return goes_on({}); });
      add(report);
      if (report_.was_stopped) break;
    }
    lease_.release();
    return std::move(report_);
  }

 private:
  /// Those that are followed. Throws NotFound.
  std::vector<journal::Generation> written() {
    const Reading reading(access_);
    (void)require_model(reading.transaction(), access_.space, name_);
    tail_ = reading.tail().seq;
    auto generations = journal::written_generations(reading.transaction(), access_.space);
    std::erase_if(generations, [&](const journal::Generation& generation) {
      return generation.projection != name_;
    });
    return generations;
  }

  bool has_work() {
    const auto generations = written();
    return std::any_of(generations.begin(), generations.end(), [&](const auto& generation) {
      return generation.walk_done && generation.watermark < tail_;
    });
  }

  void claim() {
    if (lease_.claim()) return;
    const auto& other = lease_.other();
    throw Busy("the texts of model " + name_ + " are being embedded by " +
               (other ? other->owner + ", whose lease ends at " + to_rfc3339(other->expires_at)
                      : std::string("another process")) +
               " unless it is renewed");
  }

  /// While another is at work this waits; when that ends, what is left is done here.
  void take_turn() {
    while (!enough_.stop_requested()) {
      const std::uint64_t commits = access_.database.commits();
      if (!has_work()) return;
      if (lease_.claim()) {
        try {
          work();
        } catch (const Unavailable&) {
          // What was stopped in the middle is no failure.
          lease_.release();
          if (!enough_.stop_requested()) throw;
        } catch (...) {
          lease_.release();
          throw;
        }
        continue;
      }
      (void)access_.database.wait_for_commit(commits, until_free());
    }
  }

  /// How long the other's lease may last; a second at most, for it may be given up.
  std::chrono::milliseconds until_free() const {
    constexpr std::chrono::milliseconds kLookAgain{1000};
    if (!lease_.other()) return std::chrono::milliseconds{1};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        lease_.other()->expires_at - access_.environment.clock.now());
    return std::clamp(left, std::chrono::milliseconds{1}, kLookAgain);
  }

  void work() {
    const journal::FollowOptions options{
        .batch = options_.batch, .control = [&](const journal::FollowReport& report) {
          add(report);
          return goes_on(report);
        }};
    (void)journal::follow_projection(site_.site(), name_, options);
    lease_.release();
  }

  void add(const journal::FollowReport& more) {
    journal::FollowReport all{.events = report_.events + more.events,
                              .outcomes = std::move(report_.outcomes),
                              .problems = std::move(report_.problems)};
    all.add(more.outcomes, more.problems);
    report_.events = all.events;
    report_.outcomes = std::move(all.outcomes);
    report_.problems = std::move(all.problems);
  }

  /// The sign of life behind each batch.
  bool goes_on(const journal::FollowReport& report) {
    if (options_.control && !options_.control(report)) enough_.request_stop();
    report_.was_stopped = enough_.stop_requested();
    if (report_.was_stopped) return false;
    report_.was_taken_over = !lease_.renew();
    return !report_.was_taken_over;
  }

  const Access& access_;
  std::string name_;
  const EmbedOptions& options_;
  std::stop_source enough_{};
  std::stop_callback<std::function<void()>> chained_;
  EmbedSite site_;
  EmbedLease lease_;
  Sequence tail_ = 0;
  EmbedReport report_;
};

}  // namespace

EmbedReport Models::embed(std::string_view name, const EmbedOptions& options) const {
  check_options(options);
  return EmbedRun(access_, name, options).catch_up();
}

EmbedReport Models::embed(std::string_view name, const std::stop_token& stop,
                          const EmbedOptions& options) const {
  check_options(options);
  return EmbedRun(access_, name, options, stop).follow();
}

EmbedReport Models::retry_failed(std::string_view name, std::span<const Uuid> ids,
                                 const EmbedOptions& options) const {
  check_options(options);
  return EmbedRun(access_, name, options).retry(ids);
}

}  // namespace holdfast
