#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/human_time.h>
#include <holdfast/scheduler/heartbeat.h>
#include <holdfast/scheduler/scheduler.h>

#include "commands.h"
#include "document.h"
#include "handler_command.h"
#include "interrupt.h"
#include "schedule_text.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

std::chrono::milliseconds milliseconds_of(const char* field, const std::string& text) {
  return std::chrono::ceil<std::chrono::milliseconds>(schedule::parse_duration(field, text));
}

Handlers handlers_of(const SchedulerFlags& flags) {
  // Whoever started this may have left it ignored: then how commands end could not be known.
  std::signal(SIGCHLD, SIG_DFL);
  Handlers handlers;
  for (const std::string& text : flags.handlers) {
    const auto sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
      throw InvalidArgument("handler", text, "be NAME=COMMAND");
    }
    const bool is_new =
        handlers.actions.emplace(text.substr(0, sign), command_handler(text.substr(sign + 1)))
            .second;
    if (!is_new) throw InvalidArgument("handler", text, "be given once for a name");
  }
  if (flags.reminders) handlers.reminder = command_handler(*flags.reminders);
  return handlers;
}

SchedulerOptions scheduler_options(const Options& options, const std::string& actor) {
  const SchedulerFlags& flags = options.scheduler;
  SchedulerOptions out{.spaces = flags.spaces, .actor = actor};
  if (flags.threads) out.threads = parse_whole("threads", *flags.threads, "be 1 to 1,024");
  if (flags.lease) out.lease = milliseconds_of("lease", *flags.lease);
  if (flags.tick) {
    out.tick = std::chrono::ceil<std::chrono::milliseconds>(duration_or_none("tick", *flags.tick));
  }
  return out;
}

/// Asks for a stop after so long, if that was said.
class Timer {
 public:
  Timer(const std::optional<std::string>& after, std::stop_source source) {
    if (!after) return;
    const auto time = milliseconds_of("for", *after);
    thread_ = std::jthread([this, time, source](const std::stop_token& stop) mutable {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, stop, time, [] { return false; });
      if (!stop.stop_requested()) source.request_stop();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

std::string counters_text(const DrainReport& report) {
  std::string text = "fired " + grouped(report.fired) + ", armed again " +
                     grouped(report.re_armed) + ", missed " + grouped(report.missed) +
                     ", failed " + grouped(report.failed) + ", to be tried again " +
                     grouped(report.retry) + ", indeterminate " + grouped(report.indeterminate) +
                     "\n  scanned " + grouped(report.scanned) + ", claimed " +
                     grouped(report.claimed) + ", lost races " + grouped(report.skipped_race) +
                     ", reclaimed " + grouped(report.reclaimed) + ", handed back " +
                     grouped(report.handed_back) + ", finalized " + grouped(report.finalized) +
                     ", conflicts " + grouped(report.conflicts) + ", fenced " +
                     grouped(report.fenced) + "\n";
  if (report.unhandled > 0) {
    text += "  left to others, for want of a handler: " + grouped(report.unhandled) + "\n";
  }
  return text;
}

/// The space's own scheduler, as its heartbeat says.
std::optional<ChannelHealth> tick_of(const Space& space) {
  try {
    return Heartbeats(space).get("scheduler");
  } catch (const NotFound&) {
    return std::nullopt;
  }
}

std::string status_json(const Space& space, const SchedulerStatus& status) {
  core::JsonWriter out;
  out.string("space", space.name())
      .unsigned_integer("pending", status.pending)
      .unsigned_integer("due", status.due)
      .unsigned_integer("waiting", status.waiting);
  status.next_at ? out.integer("next_at", to_us(*status.next_at)) : out.null("next_at");
  std::vector<std::string> open;
  for (const Attempt& attempt : status.open) open.push_back(schedule::to_json(attempt));
  out.raw("open", json_array(open));
  const auto tick = tick_of(space);
  out.raw("scheduler", tick ? to_json(*tick) : "null");
  return out.finish();
}

}  // namespace

void run_scheduler(Session& session, const Options& options) {
  Store& store = session.store();
  Scheduler scheduler(store, handlers_of(options.scheduler),
                      scheduler_options(options, session.actor()));
  const InterruptToken interrupt;
  const Timer timer(options.scheduler.stop_after, interrupt.source());
  scheduler.run(interrupt.source().get_token(), [&](const DrainReport& report) {
    session.print(session.json() ? to_json(report) : counters_text(report));
  });
  if (session.json()) {
    return session.print(
        core::JsonWriter().raw("total", to_json(scheduler.total())).finish());
  }
  session.print("stopped; in all:\n" + counters_text(scheduler.total()));
}

void drain_scheduler(Session& session, const Options& options) {
  Store& store = session.store();
  Scheduler scheduler(store, handlers_of(options.scheduler),
                      scheduler_options(options, session.actor()));
  const InterruptToken interrupt;
  const DrainReport report = scheduler.drain_once(interrupt.source().get_token());
  session.confirm(session.json() ? to_json(report) : counters_text(report));
}

void show_scheduler(Session& session, const Options&) {
  const Space space = session.reading_space();
  const SchedulerStatus status = scheduler_status(space);
  if (session.json()) return session.print(status_json(space, status));
  FieldList fields;
  fields.add("pending", grouped(status.pending))
      .add("due now", grouped(status.due))
      .add("waiting for a retry", grouped(status.waiting))
      .add("under way", grouped(status.open.size()))
      .add("next at", status.next_at ? to_rfc3339(*status.next_at) : "never, as things are");
  const auto tick = tick_of(space);
  if (!tick || !tick->last_attempt_at) {
    fields.add("scheduler", "none was ever heard of in this space");
  } else {
    fields.add("scheduler", "last heard of at " + to_rfc3339(*tick->last_attempt_at) +
                                (tick->is_stalled.value_or(false) ? ": it is not running" : ""));
  }
  session.print("space " + printable(space.name()) + "\n" + fields.text() + table(status.open));
}

}  // namespace holdfast::cli
