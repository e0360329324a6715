#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "failure.h"
#include "interrupt.h"
#include "location.h"
#include "model_flags.h"
#include "model_report.h"
#include "progress.h"
#include "projection_report.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

EmbedOptions embed_options(const Options& options) {
  EmbedOptions embed;
  embed.owner = this_process();
  if (options.projection.batch) {
    embed.batch = parse_whole("batch", *options.projection.batch, "be 1 to 10,000");
  }
  if (options.projection.lease) embed.lease = parse_lease(*options.projection.lease);
  embed.embedding = embedding_options(options.embed);
  return embed;
}

/// What is still without its vectors, of the generation that serves.
struct Waiting {
  journal::SourceCounts sources;
  std::uint64_t failed = 0;
  std::uint64_t pending = 0;
  std::uint64_t behind = 0;
};

Waiting waiting_in(const Space& space, const std::string& model) {
  const ModelStatus status = space.models().status(model);
  const auto& of = status.serving ? status.serving : status.building;
  if (!of) return {};
  return {.sources = of->sources,
          .failed = of->failed,
          .pending = of->pending(),
          .behind = of->behind};
}

std::string to_json(const Waiting& waiting) {
  return core::JsonWriter()
      .unsigned_integer("current", waiting.sources.current)
      .unsigned_integer("stale", waiting.sources.stale)
      .unsigned_integer("missing", waiting.sources.missing)
      .unsigned_integer("failed", waiting.failed)
      .unsigned_integer("pending", waiting.pending)
      .unsigned_integer("behind", waiting.behind)
      .finish();
}

std::string report_json(const std::string& model, const EmbedReport& report,
                        const Waiting* waiting) {
  core::JsonWriter out;
  out.raw("model", json_string(model))
      .unsigned_integer("events", report.events)
      .raw("outcomes", outcomes_json(report.outcomes))
      .raw("problems", problems_json(report.problems))
      .boolean("was_stopped", report.was_stopped)
      .boolean("was_taken_over", report.was_taken_over);
  if (waiting != nullptr) out.raw("sources", to_json(*waiting));
  return out.finish();
}

std::string problems_text(const std::vector<journal::DerivedProblem>& problems) {
  constexpr std::size_t kShownMax = 10;
  if (problems.empty()) return "";
  Table table({{"KIND"}, {"ID"}, {"REASON"}});
  for (std::size_t i = 0; i < std::min(problems.size(), kShownMax); ++i) {
    table.add({problems[i].kind, to_string(problems[i].id), problems[i].detail});
  }
  const bool is_cut = problems.size() > kShownMax;
  return table.text() +
         (is_cut ? "and more: `holdfast index failures` lists what is not embedded\n" : "");
}

std::string report_text(const std::string& model, const EmbedReport& report,
                        const Waiting& waiting) {
  FieldList fields;
  fields.add("events", grouped(report.events))
      .add("outcomes", outcomes_text(report.outcomes))
      .add("current", grouped(waiting.sources.current))
      .add("waiting", grouped(waiting.pending) + ", " + grouped(waiting.behind) +
                          " events to take in")
      .add("failed", grouped(waiting.failed));
  return "embedded by model " + printable(model) + "\n" + fields.text() +
         (report.was_taken_over ? "taken over: nothing was heard of this process for longer than "
                                  "its lease; what was left is the other's\n"
                                : "") +
         problems_text(report.problems);
}

/// One batch of a watcher, unless nothing was in it.
void show_batch(Session& session, const std::string& model, const journal::FollowReport& batch) {
  if (batch.outcomes.empty() && batch.problems.empty()) return;
  const EmbedReport report{
      .events = batch.events, .outcomes = batch.outcomes, .problems = batch.problems};
  session.print(session.json() ? report_json(model, report, nullptr)
                               : counted(batch.events, "event", "events") + ": " +
                                     outcomes_text(batch.outcomes) + "\n" +
                                     problems_text(batch.problems));
}

/// Who embeds at present, if anyone does: until it ends this one only waits.
void tell_of_other(Session& session, const Space& space, const std::string& model) {
  const auto lease = space.models().status(model).embed_lease;
  if (!lease) return;
  if (session.json()) {
    return session.print(core::JsonWriter()
                             .raw("model", json_string(model))
                             .raw("waits_for", lease_json(lease))
                             .finish());
  }
  Progress("embed", false)
      .note("waiting for " + lease->owner + ", which embeds; its lease ends at " +
            to_rfc3339(lease->expires_at) + " unless it is renewed");
}

/// Goes on until a signal, or the end of the model.
void watch(Session& session, const Space& space, const std::string& model, EmbedOptions embed) {
  const InterruptToken interrupt;
  // An answer that cannot be written ends the watch, by the exception.
  std::exception_ptr failed;
  embed.control = [&](const journal::FollowReport& batch) {
    try {
      show_batch(session, model, batch);
    } catch (...) {
      failed = std::current_exception();
    }
    return !failed && interrupt.signal() == 0;
  };
  tell_of_other(session, space, model);
  Progress progress("embed", session.json());
  progress.note("following the journal for model " + model + "; Ctrl-C ends that");
  const EmbedReport report =
      space.models().embed(model, interrupt.source().get_token(), embed);
  if (failed) std::rethrow_exception(failed);
  if (interrupt.signal() == 0) {
    throw Refused({.exit_code = static_cast<int>(Exit::not_found),
                   .code = "not_found",
                   .message = "model " + model + " was dropped, or its space deleted",
                   .fields = {{"kind", "\"model\""}, {"id", json_string(model)}}});
  }
  if (!session.json()) {
    session.print("stopped after " + counted(report.events, "event", "events") + ": " +
                  outcomes_text(report.outcomes));
  }
  stop_for(interrupt.signal(), "");
}

/// Runs one of the two ways to embed with progress, until it is done or a signal comes.
EmbedReport run(Session& session, const Space& space, const std::string& model,
                const Options& options, EmbedOptions embed, const InterruptToken& interrupt) {
  embed.stop = interrupt.source().get_token();
  Progress progress(options.embed.retry_failed ? "retry" : "embed", session.json());
  const Waiting before = waiting_in(space, model);
  const std::uint64_t total =
      options.embed.retry_failed ? before.failed : std::max(before.behind, before.pending);
  std::uint64_t done = 0;
  embed.control = [&](const journal::FollowReport& batch) {
    for (const auto& [outcome, count] : batch.outcomes) done += count;
    progress.update(done, std::max(done, total));
    return interrupt.signal() == 0;
  };
  if (!options.embed.retry_failed) return space.models().embed(model, embed);
  std::vector<Uuid> ids;
  for (const std::string& id : options.embed.ids) ids.push_back(parse_uuid("id", id));
  return space.models().retry_failed(model, ids, embed);
}

}  // namespace

void embed(Session& session, const Options& options) {
  const EmbedOptions embed = embed_options(options);
  const Space space = session.space();
  const std::string model = model_named(space, options.name);
  if (options.embed.watch) return watch(session, space, model, embed);
  const InterruptToken interrupt;
  const EmbedReport report = run(session, space, model, options, embed, interrupt);
  const Waiting waiting = waiting_in(space, model);
  session.confirm(session.json() ? report_json(model, report, &waiting)
                                 : report_text(model, report, waiting));
  if (interrupt.signal() != 0) {
    stop_for(interrupt.signal(), "stopped; what is embedded is kept, and the same command again "
             "goes on");
  }
}

}  // namespace holdfast::cli
