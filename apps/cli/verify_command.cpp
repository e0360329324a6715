#include "verify_command.h"

#include <optional>

#include <holdfast/core/json_text.h>

#include "commands.h"
#include "failure.h"
#include "progress.h"
#include "text.h"

namespace holdfast::cli {

std::string findings_json(const std::vector<journal::Finding>& findings) {
  std::vector<std::string> items;
  for (const journal::Finding& finding : findings) {
    items.push_back(core::JsonWriter()
                        .string("check", finding.check)
                        .raw("space", json_string(finding.space))
                        .raw("detail", json_string(finding.detail))
                        .finish());
  }
  return json_array(items);
}

std::string findings_text(const std::vector<journal::Finding>& findings) {
  Table table({{"CHECK"}, {"SPACE"}, {"DETAIL"}});
  for (const journal::Finding& finding : findings) {
    table.add({finding.check, finding.space, finding.detail});
  }
  return table.text();
}

std::string to_json(const journal::VerifyReport& report) {
  return core::JsonWriter()
      .unsigned_integer("spaces", report.spaces)
      .unsigned_integer("events", report.events)
      .unsigned_integer("rows", report.rows)
      .unsigned_integer("findings_total", report.findings_total)
      .raw("findings", findings_json(report.findings))
      .finish();
}

std::string describe(const journal::VerifyReport& report) {
  std::string out = "compared " + counted(report.events, "event", "events") + " with " +
                    counted(report.rows, "row", "rows") + " in " +
                    counted(report.spaces, "space", "spaces") + "\n";
  if (report.is_clean()) return out + "clean: the journal and the tables agree\n";
  return out + findings_text(report.findings);
}

journal::VerifyReport verify_store(Store& store, bool is_for_program,
                                   const std::function<void()>& look_up) {
  std::optional<Progress> progress;
  std::string space;
  return store.verify([&](const journal::VerifyProgress& now) {
    if (look_up) look_up();
    if (!progress || now.space != space) {
      progress.emplace("verify " + printable(now.space), is_for_program);
    }
    space = now.space;
    progress->update(now.done, now.total);
  });
}

void refuse_findings(const journal::VerifyReport& report, const std::string& advice) {
  if (report.is_clean()) return;
  throw Refused({.exit_code = static_cast<int>(Exit::corrupt),
                 .code = "corrupt",
                 .message = counted(report.findings_total, "finding", "findings") + "; " + advice,
                 .fields = {{"findings_total", std::to_string(report.findings_total)}}});
}

void verify(Session& session, const Options&) {
  const auto report = verify_store(session.reader(), session.json());
  session.print(session.json() ? to_json(report) : describe(report));
  refuse_findings(report, "stop writing and restore a backup");
}

}  // namespace holdfast::cli
