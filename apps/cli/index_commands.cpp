#include <chrono>
#include <future>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "document.h"
#include "failure.h"
#include "interrupt.h"
#include "model_flags.h"
#include "model_report.h"
#include "page_report.h"
#include "progress.h"
#include "projection_report.h"
#include "session.h"
#include "style.h"
#include "text.h"

namespace holdfast::cli {
namespace {

struct State {
  ModelStatus status;
  IndexStatus index;
};

State state_of(const Space& space, const std::string& name) {
  return {.status = space.models().status(name), .index = space.index_status(name)};
}

[[noreturn]] void refuse_cancelled(const std::string& name) {
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "the rebuild of model " + name + " was cancelled by somebody else",
                 .fields = {{"outcome", "\"cancelled\""}, {"model", json_string(name)}}});
}

void require_swapped(const std::string& name, const journal::RebuildReport& report,
                     const RebuildWatch& watch) {
  switch (report.end) {
    case journal::RebuildEnd::swapped: return;
    case journal::RebuildEnd::cancelled: refuse_cancelled(name);
    case journal::RebuildEnd::refused:
    case journal::RebuildEnd::incomplete:
      throw Refused(refusal("the new vectors of model " + name + " are not complete: " +
                                counted(report.problems_total, "row has", "rows have") +
                                " none; what served serves on. " + way_to_complete(report),
                            name, report, "incomplete"));
    case journal::RebuildEnd::stopped:
      watch.stop("what served serves on: run the same command again to go on, or `holdfast index "
                 "cancel " + name + "` to give the new vectors up");
  }
}

/// Other parameters change no vector: only the index over them is made anew.
void index_anew(Session& session, const Space& space, const std::string& name,
                const IndexParameters& parameters) {
  constexpr std::chrono::milliseconds kLookEvery{250};
  {
    Progress progress("index " + printable(name), session.json());
    auto made = std::async(std::launch::async,
                                 [&] { space.rebuild_index(name, parameters); });
    while (made.wait_for(kLookEvery) == std::future_status::timeout) {
      const IndexStatus now = space.index_status(name);
      if (now.building_done > 0) progress.update(now.building_done, now.stored);
    }
    made.get();
  }
  const IndexStatus index = space.index_status(name);
  session.confirm(session.json() ? core::JsonWriter()
                                       .string("end", "indexed")
                                       .raw("index", to_json(index))
                                       .finish()
                                 : "made the index of model " + printable(name) + " anew\n" +
                                       describe(index));
}

std::string findings_json(const IndexVerification& found) {
  std::vector<std::string> items;
  for (const IndexFinding& finding : found.findings) {
    items.push_back(core::JsonWriter()
                        .string("check", finding.check)
                        .raw("detail", json_string(finding.detail))
                        .finish());
  }
  return json_array(items);
}

std::string to_json(const std::string& name, const IndexVerification& found) {
  return core::JsonWriter()
      .raw("model", json_string(name))
      .unsigned_integer("generation", found.generation)
      .unsigned_integer("seq", found.seq)
      .unsigned_integer("vectors", found.vectors)
      .unsigned_integer("searched", found.searched)
      .unsigned_integer("findings_total", found.findings_total)
      .raw("findings", findings_json(found))
      .finish();
}

std::string describe(const IndexVerification& found) {
  std::string out = counted(found.vectors, "vector", "vectors") + " compared with " +
                    (found.vectors == 1 ? "its row" : "their rows") + ", ";
  out += found.searched > 0 ? grouped(found.searched) + " searched for by themselves\n"
                            : "none searched for by itself: there is no graph to miss it\n";
  if (found.findings_total == 0) return "clean: " + out;
  Table table({{"CHECK"}, {"DETAIL"}});
  for (const IndexFinding& finding : found.findings) table.add({finding.check, finding.detail});
  out += table.text();
  if (found.findings_total > found.findings.size()) {
    out += "and " + grouped(found.findings_total - found.findings.size()) + " more\n";
  }
  return out;
}

std::string to_json(const std::string& name, const IndexCompaction& done) {
  return core::JsonWriter()
      .raw("model", json_string(name))
      .unsigned_integer("vectors", done.vectors)
      .unsigned_integer("dropped", done.dropped)
      .unsigned_integer("files_removed", done.files_removed)
      .unsigned_integer("index_bytes_before", done.index_bytes_before)
      .unsigned_integer("index_bytes", done.index_bytes)
      .unsigned_integer("database_bytes_before", done.database_bytes_before)
      .unsigned_integer("database_bytes", done.database_bytes)
      .finish();
}

std::string describe(const IndexCompaction& done) {
  const auto bytes = [](std::uint64_t before, std::uint64_t now) {
    return grouped(before) + " bytes before, " + grouped(now) + " now";
  };
  FieldList fields;
  fields.add("vectors", grouped(done.vectors))
      .add("tombstones dropped", grouped(done.dropped))
      .add("files removed", grouped(done.files_removed))
      .add("index", bytes(done.index_bytes_before, done.index_bytes))
      .add("database", bytes(done.database_bytes_before, done.database_bytes));
  return fields.text();
}

}  // namespace

void show_indexes(Session& session, const Options& options) {
  const Space space = session.reading_space();
  if (!options.name.empty()) {
    const State state = state_of(space, options.name);
    return session.print(session.json() ? to_json(state.status, state.index)
                                        : describe(state.status, state.index));
  }
  Page<State> page;
  for (const DeclaredModel& declared : space.models().list()) {
    try {
      page.items.push_back(state_of(space, declared.model.name));
    } catch (const NotFound&) {
      continue;  // dropped since it was listed
    }
  }
  if (session.json()) {
    return session.print(
        page_json(page, [](const State& each) { return to_json(each.status, each.index); }));
  }
  std::string out;
  for (const State& each : page.items) out += describe(each.status, each.index) + "\n";
  session.print(out + page_footer(page, "model", "models"));
}

void rebuild_index(Session& session, const Options& options) {
  RebuildModelOptions rebuild{.rebuild = rebuild_options(options)};
  const Space space = session.space();
  const auto declared = space.models().find(options.name);
  if (!declared) throw NotFound("model", options.name);
  rebuild.model = changed_model(declared->model, options.model);
  rebuild.parameters = changed_parameters(declared->parameters, options.model);
  const bool is_of_rows = rebuild.model || rebuild.rebuild.anew || rebuild.rebuild.restart;
  if (rebuild.parameters && !is_of_rows && space.index_status(options.name).generation > 0) {
    return index_anew(session, space, options.name, *rebuild.parameters);
  }
  RebuildWatch watch(session.json());
  const auto report = space.models().rebuild(options.name, rebuild, watch.control());
  watch.finish();
  require_swapped(options.name, report, watch);
  session.confirm(session.json()
                      ? to_json(report)
                      : "rebuilt model " + printable(options.name) + "\n" + describe(report));
}

void cancel_index(Session& session, const Options& options) {
  const bool was_building = session.space().models().cancel(options.name);
  if (session.json()) {
    return session.confirm(core::JsonWriter()
                               .raw("name", json_string(options.name))
                               .string("outcome", was_building ? "cancelled" : "unchanged")
                               .finish());
  }
  session.confirm(was_building ? "cancelled the rebuild of model " + printable(options.name)
                               : "model " + printable(options.name) + " is not being built");
}

void verify_index(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const std::string name = model_named(space, options.name);
  const Interrupt interrupt;
  const auto found =
      space.verify_index(name, [&] { return interrupt.signal() == 0; });
  if (interrupt.signal() != 0) {
    stop_for(interrupt.signal(), "stopped; nothing was changed",
             {{"findings_total", std::to_string(found.findings_total)}});
  }
  session.print(session.json() ? to_json(name, found) : describe(found));
  if (found.findings_total == 0) return;
  throw Refused({.exit_code = static_cast<int>(Exit::corrupt),
                 .code = "corrupt",
                 .message = counted(found.findings_total, "finding", "findings") +
                            "; `holdfast index compact " + name + "` makes the index anew from "
                            "its rows, `holdfast projection verify " + name +
                            "` holds these against their sources",
                 .fields = {{"findings_total", std::to_string(found.findings_total)}}});
}

void compact_index(Session& session, const Options& options) {
  const Space space = session.space();
  const std::string name = model_named(space, options.name);
  const auto done = space.compact_index(name);
  session.confirm(session.json() ? to_json(name, done)
                                 : "compacted the index of model " + printable(name) + "\n" +
                                       describe(done));
}

void list_failures(Session& session, const Options& options) {
  const Space space = session.reading_space();
  const std::string name = model_named(space, options.name);
  std::optional<std::uint64_t> generation;
  if (options.embed.generation) {
    generation = parse_whole("generation", *options.embed.generation, "be a generation's number");
  }
  const auto page = space.models().failures(name, page_request(options), generation);
  if (session.json()) {
    return session.print(page_json(page, [](const auto& failure) { return to_json(failure); }));
  }
  Table table({{"KIND"}, {"ID"}, {"ATTEMPTS", Align::right}, {"LAST"}, {"REASON"}});
  for (const journal::DerivedFailure& failure : page.items) {
    table.add({failure.kind, to_string(failure.id), grouped(failure.attempts),
               to_rfc3339(failure.at), failure.reason});
  }
  session.print((page.items.empty() ? "" : table.text()) +
                page_footer(page, "failure", "failures"));
}

}  // namespace holdfast::cli
