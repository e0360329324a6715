#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "model_flags.h"
#include "page_report.h"
#include "projection_report.h"
#include "session.h"
#include "verify_command.h"

namespace holdfast::cli {
namespace {

[[noreturn]] void refuse_cancelled(const std::string& name) {
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "the rebuild of projection " + name + " was cancelled by somebody else",
                 .fields = {{"outcome", "\"cancelled\""}, {"projection", json_string(name)}}});
}

void require_swapped(const std::string& name, const journal::RebuildReport& report,
                     const RebuildWatch& watch) {
  switch (report.end) {
    case journal::RebuildEnd::swapped: return;
    case journal::RebuildEnd::cancelled: refuse_cancelled(name);
    case journal::RebuildEnd::refused:
      throw Refused(refusal("projection " + name + " cannot be built: " +
                                counted(report.problems_total, "row is", "rows are") +
                                " in the way; what was built is given up, what served serves on",
                            name, report));
    case journal::RebuildEnd::incomplete:
      throw Refused(refusal("projection " + name + " is not complete: nothing can be derived " +
                                "from " + counted(report.problems_total, "row", "rows") +
                                "; what served serves on. " + way_to_complete(report),
                            name, report, "incomplete"));
    case journal::RebuildEnd::stopped:
      watch.stop("run the same command again to go on, or `holdfast projection cancel " + name +
                 "` to give it up");
  }
}

}  // namespace

void list_projections(Session& session, const Options&) {
  Page<journal::DeclaredProjection> page;
  page.items = session.reading_space().projections().list();
  if (session.json()) {
    return session.print(page_json(page, [](const auto& item) { return to_json(item); }));
  }
  Table table({{"PROJECTION"}, {"TYPE"}, {"DECLARATION"}, {"DECLARED"}});
  for (const journal::DeclaredProjection& projection : page.items) {
    table.add({projection.name, projection.type, projection.declaration.text(),
               to_rfc3339(projection.created_at)});
  }
  session.print((page.items.empty() ? "" : table.text()) +
                page_footer(page, "projection", "projections"));
}

void show_projections(Session& session, const Options& options) {
  const Projections projections = session.reading_space().projections();
  if (!options.name.empty()) {
    const auto status = projections.status(options.name);
    return session.print(session.json() ? to_json(status) : describe(status));
  }
  Page<journal::ProjectionStatus> page;
  for (const journal::DeclaredProjection& projection : projections.list()) {
    try {
      page.items.push_back(projections.status(projection.name));
    } catch (const NotFound&) {
      continue;  // taken back since it was listed
    }
  }
  if (session.json()) {
    return session.print(page_json(page, [](const auto& item) { return to_json(item); }));
  }
  std::string out;
  for (const journal::ProjectionStatus& status : page.items) out += describe(status) + "\n";
  session.print(out + page_footer(page, "projection", "projections"));
}

void rebuild_projection(Session& session, const Options& options) {
  const auto rebuild = rebuild_options(options);
  const Space space = session.space();
  RebuildWatch watch(session.json());
  const auto report = space.projections().rebuild(options.name, rebuild, watch.control());
  watch.finish();
  require_swapped(options.name, report, watch);
  session.confirm(session.json()
                      ? to_json(report)
                      : "rebuilt projection " + printable(options.name) + "\n" + describe(report));
}

void cancel_rebuild(Session& session, const Options& options) {
  const bool was_building = session.space().projections().cancel(options.name);
  if (session.json()) {
    return session.confirm(core::JsonWriter()
                               .raw("name", json_string(options.name))
                               .string("outcome", was_building ? "cancelled" : "unchanged")
                               .finish());
  }
  session.confirm(was_building
                      ? "cancelled the rebuild of projection " + printable(options.name)
                      : "projection " + printable(options.name) + " is not being built");
}

void verify_projection(Session& session, const Options& options) {
  journal::VerifyReport report;
  report.findings = session.reading_space().projections().verify(options.name);
  report.findings_total = report.findings.size();
  if (session.json()) {
    session.print(core::JsonWriter()
                      .raw("name", json_string(options.name))
                      .unsigned_integer("findings_total", report.findings_total)
                      .raw("findings", findings_json(report.findings))
                      .finish());
  } else {
    session.print(report.is_clean() ? "clean: what is derived is what the rows say\n"
                                    : findings_text(report.findings));
  }
  refuse_findings(report, "`holdfast projection rebuild " + options.name + "` makes it anew");
}

}  // namespace holdfast::cli
