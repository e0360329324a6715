#include <holdfast/schedule/human_time.h>
#include <holdfast/scheduler/heartbeat.h>

#include "commands.h"
#include "document.h"
#include "page_report.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

std::string state_of(const ChannelHealth& health) {
  if (!health.malformed.empty()) return "malformed";
  if (health.is_failing()) {
    return "failing, " + counted(health.consecutive_failures, "time", "times") + " in a row";
  }
  if (!health.is_stalled) return "not known";
  return *health.is_stalled ? "stalled" : "alive";
}

std::string time_text(const std::optional<Timestamp>& at) { return at ? to_rfc3339(*at) : ""; }

std::string table_of(const std::vector<ChannelHealth>& channels) {
  if (channels.empty()) return "";
  Table out({{"CHANNEL"}, {"STATE"}, {"LAST ATTEMPT"}, {"LAST SUCCESS"}, {"LAST ERROR"}});
  for (const ChannelHealth& health : channels) {
    out.add({health.channel, state_of(health), time_text(health.last_attempt_at),
             time_text(health.last_success_at),
             shortened(health.malformed.empty() ? health.last_error : health.malformed, 60)});
  }
  return out.text();
}

void print_page(Session& session, const Page<ChannelHealth>& page) {
  if (session.json()) {
    return session.print(page_json(page, [](const auto& health) { return to_json(health); }));
  }
  session.print(table_of(page.items) + page_footer(page, "channel", "channels"));
}

}  // namespace

void report_heartbeat(Session& session, const Options& options) {
  const HeartbeatFlags& flags = options.heartbeat;
  HeartbeatReport report{.channel = options.name};
  if (flags.interval) report.interval = schedule::parse_duration("interval", *flags.interval);
  report.error = flags.failed;
  if (flags.details) report.details = read_argument("details", *flags.details);
  const ChannelHealth health = Heartbeats(session.space()).report(report);
  session.confirm(session.json() ? to_json(health)
                                 : "channel " + printable(health.channel) + ": " +
                                       state_of(health) + "\n");
}

void list_heartbeats(Session& session, const Options& options) {
  print_page(session, Heartbeats(session.reading_space()).list(page_request(options)));
}

void show_health(Session& session, const Options& options) {
  print_page(session, Heartbeats(session.reading_space()).troubled(page_request(options)));
}

}  // namespace holdfast::cli
