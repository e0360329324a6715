#include <filesystem>

#include <holdfast/core/json_text.h>
#include <holdfast/exchange/wordnet.h>

#include "commands.h"
#include "failure.h"
#include "interrupt.h"
#include "progress.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

constexpr const char* kWordNetDirectory = "/usr/share/wordnet";

std::string wordnet_directory(const Options& options) {
  if (options.directory) return *options.directory;
  std::error_code ignored;
  if (std::filesystem::is_directory(kWordNetDirectory, ignored)) return kWordNetDirectory;
  refuse_usage(std::string("name the source's folder; there is no ") + kWordNetDirectory);
}

std::string count_json(const exchange::ImportCount& count) {
  return core::JsonWriter()
      .unsigned_integer("created", count.created)
      .unsigned_integer("existing", count.existing)
      .unsigned_integer("skipped", count.skipped)
      .finish();
}

std::string report_json(const exchange::WordNetReport& report) {
  return core::JsonWriter()
      .string("format", "wordnet")
      .raw("entities", count_json(report.entities))
      .raw("notes", count_json(report.notes))
      .raw("edges", count_json(report.edges))
      .unsigned_integer("pointers", report.pointers)
      .unsigned_integer("distinct_triples", report.distinct_triples)
      .unsigned_integer("self_loops", report.self_loops)
      .boolean("complete", report.complete)
      .boolean("changed_nothing", report.changed_nothing())
      .finish();
}

std::string report_text(const exchange::WordNetReport& report) {
  Table table({{"WORDNET"},
               {"CREATED", Align::right},
               {"THERE BEFORE", Align::right},
               {"SKIPPED", Align::right}});
  const auto add = [&](const char* name, const exchange::ImportCount& count) {
    table.add({name, grouped(count.created), grouped(count.existing), grouped(count.skipped)});
  };
  add("entities", report.entities);
  add("notes", report.notes);
  add("edges", report.edges);
  std::string out = table.text() + "from " + counted(report.pointers, "pointer", "pointers") +
                    ", " + counted(report.distinct_triples, "triple", "triples") + " and " +
                    counted(report.self_loops, "loop", "loops") + " in the source\n";
  if (report.complete && report.changed_nothing()) out += "nothing changed\n";
  return out;
}

}  // namespace

void import_source(Session& session, const Options& options) {
  const std::string directory = wordnet_directory(options);
  const Space space = session.space("import:wordnet");
  const Interrupt interrupt;
  exchange::ImportProgress last;
  exchange::WordNetReport report;
  {
    Progress progress("import", session.json());
    progress.note("reading " + directory);
    report = exchange::import_wordnet(space, directory, [&](const exchange::ImportProgress& now) {
      last = now;
      progress.update(now.done, now.total);
      // Asked to stop at the very end, it has nothing left to do.
      return interrupt.signal() == 0 || now.done == now.total;
    });
  }
  session.confirm(session.json() ? report_json(report) : report_text(report));
  if (report.complete) return;
  throw Refused({.exit_code = 128 + interrupt.signal(),
                 .code = "interrupted",
                 .message = "stopped after " + grouped(last.done) + " of " + grouped(last.total) +
                            " rows, all of which are stored; run the same command again to go on",
                 .fields = {{"done", std::to_string(last.done)},
                            {"total", std::to_string(last.total)}}});
}

}  // namespace holdfast::cli
