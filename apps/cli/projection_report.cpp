#include "projection_report.h"

#include <holdfast/core/json_text.h>

#include "style.h"
#include "text.h"

namespace holdfast::cli {
namespace {

using journal::GenerationStatus;

std::uint64_t sources_of(const GenerationStatus& status) {
  return status.sources.current + status.sources.stale + status.sources.missing;
}

bool is_dropping(const GenerationStatus& status) {
  return status.generation.state == journal::GenerationState::dropping;
}

std::string generation_json(const GenerationStatus& status) {
  const journal::Generation& generation = status.generation;
  return core::JsonWriter()
      .unsigned_integer("generation", generation.number)
      .string("state", to_string(generation.state))
      .unsigned_integer("watermark", generation.watermark)
      .unsigned_integer("behind", status.behind)
      .unsigned_integer("walk_from", generation.walk_from)
      .boolean("walk_done", generation.walk_done)
      .unsigned_integer("walked", generation.walked)
      .unsigned_integer("total", sources_of(status))
      .unsigned_integer("skipped", generation.skipped)
      .unsigned_integer("failed", generation.failed)
      .unsigned_integer("current", status.sources.current)
      .unsigned_integer("stale", status.sources.stale)
      .unsigned_integer("missing", status.sources.missing)
      .unsigned_integer("rows", status.rows)
      .boolean("is_outdated", status.is_outdated)
      .integer("created_at", to_us(generation.created_at))
      .finish();
}

std::string problems_json(const journal::RebuildReport& report) {
  std::vector<std::string> items;
  for (const journal::DerivedProblem& problem : report.problems) {
    items.push_back(problem_json(problem));
  }
  return json_array(items);
}

std::string problems_text(const journal::RebuildReport& report) {
  Table table({{"KIND"}, {"ID"}, {"CLASHES WITH"}, {"DETAIL"}});
  for (const journal::DerivedProblem& problem : report.problems) {
    table.add({problem.kind, to_string(problem.id),
               problem.clashes_with ? to_string(*problem.clashes_with) : "-", problem.detail});
  }
  std::string out = table.text();
  if (report.problems_total > report.problems.size()) {
    out += "and " + grouped(report.problems_total - report.problems.size()) + " more\n";
  }
  return out;
}

std::string rebuilder_text(const std::optional<storage::Lease>& lease) {
  if (!lease) return "by nobody";
  return "by " + lease->owner + ", until " + to_rfc3339(lease->expires_at) + " unless renewed";
}

std::string generations_text(const std::vector<GenerationStatus>& generations) {
  Table table({{"GENERATION", Align::right},
               {"STATE"},
               {"WATERMARK", Align::right},
               {"BEHIND", Align::right},
               {"WALKED", Align::right},
               {"CURRENT", Align::right},
               {"STALE", Align::right},
               {"MISSING", Align::right},
               {"SKIPPED", Align::right},
               {"FAILED", Align::right},
               {"ROWS", Align::right}});
  for (const GenerationStatus& status : generations) {
    const journal::Generation& generation = status.generation;
    const auto counted = [&](std::uint64_t count) {
      return is_dropping(status) ? std::string("-") : grouped(count);
    };
    table.add({grouped(generation.number),
               std::string(to_string(generation.state)) + (status.is_outdated ? ", outdated" : ""),
               grouped(generation.watermark), counted(status.behind),
               grouped(generation.walked) +
                   (is_dropping(status) ? "" : " of " + grouped(sources_of(status))),
               counted(status.sources.current), counted(status.sources.stale),
               counted(status.sources.missing), grouped(generation.skipped),
               grouped(generation.failed), grouped(status.rows)});
  }
  return table.text();
}

}  // namespace

std::string lease_json(const std::optional<storage::Lease>& lease) {
  if (!lease) return "null";
  return core::JsonWriter()
      .raw("owner", json_string(lease->owner))
      .unsigned_integer("fencing", lease->fencing)
      .integer("expires_at", to_us(lease->expires_at))
      .finish();
}

std::string problem_json(const journal::DerivedProblem& problem) {
  core::JsonWriter out;
  out.string("kind", problem.kind).string("id", to_string(problem.id));
  if (problem.clashes_with) {
    out.string("clashes_with", to_string(*problem.clashes_with));
  } else {
    out.null("clashes_with");
  }
  return out.raw("detail", json_string(problem.detail)).finish();
}

std::string to_json(const KeyDeclaration& key) {
  core::JsonWriter out;
  out.string("name", key.name);
  if (key.kind) {
    out.string("kind", *key.kind);
  } else {
    out.null("kind");
  }
  return out.string("path", key.path).finish();
}

std::string describe(const KeyDeclaration& key) {
  return printable(key.path) + (key.kind ? " of kind " + printable(*key.kind) : " of every kind");
}

std::string to_json(const journal::DeclaredProjection& projection) {
  return core::JsonWriter()
      .string("name", projection.name)
      .string("type", projection.type)
      .raw("declaration", projection.declaration.text())
      .integer("created_at", to_us(projection.created_at))
      .finish();
}

std::string to_json(const journal::ProjectionStatus& status) {
  std::vector<std::string> generations;
  for (const GenerationStatus& each : status.generations) {
    generations.push_back(generation_json(each));
  }
  return core::JsonWriter()
      .string("name", status.projection.name)
      .string("type", status.projection.type)
      .raw("declaration", status.projection.declaration.text())
      .integer("created_at", to_us(status.projection.created_at))
      .string("upkeep", to_string(status.upkeep))
      .unsigned_integer("tail", status.tail)
      .raw("generations", json_array(generations))
      .raw("rebuild", lease_json(status.lease))
      .finish();
}

std::string describe(const journal::ProjectionStatus& status) {
  FieldList fields;
  fields.add("type", status.projection.type)
      .add("declaration", status.projection.declaration.text())
      .add("kept", status.upkeep == journal::Upkeep::in_transaction
                       ? "with every write, never behind"
                       : "behind the writes, by whoever follows")
      .add("journal's end", grouped(status.tail))
      .add("being rebuilt", rebuilder_text(status.lease))
      .add("declared", to_rfc3339(status.projection.created_at));
  return "projection " + printable(status.projection.name) + "\n" + fields.text() +
         generations_text(status.generations);
}

std::string to_json(const journal::RebuildReport& report) {
  core::JsonWriter outcomes;
  for (const auto& [outcome, count] : report.outcomes) outcomes.unsigned_integer(outcome, count);
  return core::JsonWriter()
      .string("end", to_string(report.end))
      .unsigned_integer("generation", report.generation)
      .boolean("was_resumed", report.was_resumed)
      .unsigned_integer("walked", report.walked)
      .raw("outcomes", outcomes.finish())
      .unsigned_integer("dropped", report.dropped)
      .unsigned_integer("problems_total", report.problems_total)
      .unsigned_integer("waiting", report.waiting)
      .raw("problems", problems_json(report))
      .finish();
}

std::string describe(const journal::RebuildReport& report) {
  std::string out = "  generation " + std::to_string(report.generation) + ", " +
                    counted(report.walked, "row", "rows") + " walked" +
                    (report.was_resumed ? ", resumed" : "") + "\n";
  for (const auto& [outcome, count] : report.outcomes) {
    out += "    " + outcome + " " + grouped(count) + "\n";
  }
  if (report.dropped > 0) {
    out += "  " + counted(report.dropped, "row", "rows") + " of earlier generations removed\n";
  }
  return out;
}

Failure refusal(const std::string& message, const std::string& projection,
                const journal::RebuildReport& report, const char* outcome) {
  return {.exit_code = static_cast<int>(Exit::conflict),
          .code = "conflict",
          .message = message,
          .fields = {{"outcome", json_string(outcome)},
                     {"projection", json_string(projection)},
                     {"generation", std::to_string(report.generation)},
                     {"waiting", std::to_string(report.waiting)},
                     {"problems_total", std::to_string(report.problems_total)},
                     {"problems", problems_json(report)}},
          .details = styled(Style::conflict, "in the way:") + "\n" + problems_text(report)};
}

std::string way_to_complete(const journal::RebuildReport& report) {
  const std::string allow = ", or with --allow-failures to let it serve without them";
  if (report.waiting == 0) return "Rebuild it again to try those rows anew" + allow;
  return "Give their vectors with writes that name generation " +
         std::to_string(report.generation) +
         ", as in --vectors '{\"model\":...,\"vectors\":[[...]],\"generation\":" +
         std::to_string(report.generation) + "}', and rebuild it again" + allow;
}

journal::RebuildControl RebuildWatch::control() {
  return [this](const journal::RebuildProgress& now) {
    if (!progress_ || now.step != last_.step) {
      progress_.emplace(now.step + " " + printable(now.projection), is_for_program_);
    }
    last_ = now;
    progress_->update(now.done, now.total);
    return interrupt_.signal() == 0;
  };
}

void RebuildWatch::stop(const std::string& way_on) const {
  stop_for(interrupt_.signal(),
           "stopped after " + grouped(last_.done) + " of " + grouped(last_.total) +
               " rows, which are kept; " + way_on,
           {{"projection", json_string(last_.projection)},
            {"done", std::to_string(last_.done)},
            {"total", std::to_string(last_.total)}});
}

}  // namespace holdfast::cli
