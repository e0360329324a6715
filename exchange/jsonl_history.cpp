#include "jsonl_history.h"

#include <holdfast/core/error.h>
#include <holdfast/journal/verify.h>

namespace holdfast::exchange {
namespace {

constexpr std::size_t kEventsAtOnce = 1000;

bool apply_settings(journal::Appender& appender, const SpaceSettings& settings) {
  if (appender.settings() == settings) return false;
  auto row = journal::SpaceStore::find(appender.transaction(), appender.space()).value();
  const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
  row.settings = to_json(settings);
  row.revision = next_revision(appender.now(), row.revision);
  if (!journal::SpaceStore::replace_if_unchanged(appender, row, as_read).applied()) {
    throw Corrupt("space " + appender.space() + " changed within its own transaction");
  }
  return true;
}

/// The rules that no single line can break, and every one that the judge does not know.
void require_clean(journal::Appender& appender, const journal::Registry& registry,
                   const std::filesystem::path& file) {
  appender.finish();
  const auto report =
      journal::verify_space(appender.transaction(), registry, appender.space());
  if (report.is_clean()) return;
  const journal::Finding& first = report.findings.front();
  throw InvalidArgument(file.string() + ": event", first.detail,
                        "be part of a history for which the check " + first.check + " holds");
}

}  // namespace

bool never_had_a_row(storage::Transaction& transaction, const Space& space) {
  Sequence after = 0;
  for (;;) {
    const auto events = journal::read_after(transaction, space.name(), after, kEventsAtOnce);
    if (events.empty()) return true;
    for (const Event& event : events) {
      if (event.kind != "space") return false;
    }
    after = events.back().seq;
  }
}

void replay_history(const Space& space, const std::filesystem::path& file, JsonlReport& report) {
  const journal::Registry& registry = space.access().registry;
  space.write([&](journal::Appender& appender) {
    report.events = 0;
    if (!never_had_a_row(appender.transaction(), space)) {
      throw Conflict("space " + space.name() +
                     " has had rows; a file with history needs a space of its own");
    }
    JsonlFile lines(file, space.name());
    report.settings_applied = apply_settings(appender, lines.header().settings);
    while (const auto row = lines.next()) {
      const Event& event = std::get<Event>(*row);
      if (report.events++ == 0) appender.begin_replay(event.at);
      try {
        registry.source(event.kind).replay(appender, event);
      } catch (const InvalidArgument& error) {
        lines.refuse(error.field(), error.value(), error.rule());
      }
    }
    require_clean(appender, registry, file);
  });
}

}  // namespace holdfast::exchange
