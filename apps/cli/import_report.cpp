#include "import_report.h"

#include <holdfast/core/json_text.h>

#include "text.h"

namespace holdfast::cli {
namespace {

std::string count_json(const exchange::ImportCount& count) {
  return core::JsonWriter()
      .unsigned_integer("created", count.created)
      .unsigned_integer("existing", count.existing)
      .unsigned_integer("replaced", count.replaced)
      .unsigned_integer("kept", count.kept)
      .unsigned_integer("skipped", count.skipped)
      .finish();
}

/// What every import says, of the given format.
core::JsonWriter common_json(const exchange::ImportReport& report, const char* format) {
  std::vector<std::string> kept;
  for (const exchange::KeptRow& row : report.kept) {
    kept.push_back(core::JsonWriter()
                       .raw("kind", json_string(row.kind))
                       .raw("id", json_string(row.id))
                       .raw("why", json_string(row.why))
                       .finish());
  }
  core::JsonWriter out;
  out.string("format", format)
      .raw("relations", count_json(report.relations))
      .raw("entities", count_json(report.entities))
      .raw("notes", count_json(report.notes))
      .raw("edges", count_json(report.edges))
      .raw("scheduled_events", count_json(report.scheduled_events))
      .raw("kept", json_array(kept))
      .unsigned_integer("kept_total", report.kept_total);
  return out;
}

template <class Report>
std::string ended(core::JsonWriter& out, const Report& report) {
  return out.boolean("complete", report.complete)
      .boolean("changed_nothing", report.changed_nothing())
      .finish();
}

std::string common_text(const exchange::ImportReport& report, const char* heading) {
  Table table({{heading},
               {"CREATED", Align::right},
               {"REPLACED", Align::right},
               {"THERE BEFORE", Align::right},
               {"KEPT", Align::right},
               {"SKIPPED", Align::right}});
  const auto add = [&](const char* name, const exchange::ImportCount& count) {
    table.add({name, grouped(count.created), grouped(count.replaced), grouped(count.existing),
               grouped(count.kept), grouped(count.skipped)});
  };
  add("relations", report.relations);
  add("entities", report.entities);
  add("notes", report.notes);
  add("edges", report.edges);
  add("scheduled events", report.scheduled_events);
  std::string out = table.text();
  if (report.kept_total == 0) return out;
  Table kept({{"NOT AS IN THE SOURCE"}, {"ID"}, {"WHY"}});
  for (const exchange::KeptRow& row : report.kept) kept.add({row.kind, row.id, row.why});
  out += kept.text();
  if (report.kept_total > report.kept.size()) {
    out += "and " + grouped(report.kept_total - report.kept.size()) + " more\n";
  }
  return out;
}

template <class Report>
std::string end_text(const Report& report) {
  return report.complete && report.changed_nothing() ? "nothing changed\n" : "";
}

}  // namespace

std::string to_json(const exchange::WordNetReport& report) {
  core::JsonWriter out = common_json(report, "wordnet");
  out.unsigned_integer("pointers", report.pointers)
      .unsigned_integer("distinct_triples", report.distinct_triples)
      .unsigned_integer("self_loops", report.self_loops);
  return ended(out, report);
}

std::string to_json(const exchange::GoReport& report) {
  core::JsonWriter out = common_json(report, "go");
  out.unsigned_integer("terms", report.terms)
      .unsigned_integer("obsolete_terms", report.obsolete_terms)
      .unsigned_integer("synonyms", report.synonyms)
      .unsigned_integer("repeated_synonyms", report.repeated_synonyms)
      .unsigned_integer("parents", report.parents)
      .unsigned_integer("repeated_parents", report.repeated_parents);
  return ended(out, report);
}

std::string to_json(const exchange::JsonlReport& report) {
  core::JsonWriter out = common_json(report, "jsonl");
  out.unsigned_integer("events", report.events)
      .boolean("settings_applied", report.settings_applied)
      .boolean("settings_differ", report.settings_differ)
      .unsigned_integer("abouts_missing", report.abouts_missing);
  return ended(out, report);
}

std::string to_json(const exchange::McpMemoryReport& report) {
  core::JsonWriter out = common_json(report, "mcp-memory");
  out.unsigned_integer("records", report.records)
      .unsigned_integer("merged_entities", report.merged_entities)
      .unsigned_integer("repeated_observations", report.repeated_observations)
      .unsigned_integer("repeated_relations", report.repeated_relations)
      .unsigned_integer("unknown_records", report.unknown_records)
      .unsigned_integer("joined_lines", report.joined_lines);
  return ended(out, report);
}

std::string describe(const exchange::WordNetReport& report) {
  return common_text(report, "WORDNET") + "from " +
         counted(report.pointers, "pointer", "pointers") + ", " +
         counted(report.distinct_triples, "triple", "triples") + " and " +
         counted(report.self_loops, "loop", "loops") + " in the source\n" + end_text(report);
}

std::string describe(const exchange::GoReport& report) {
  return common_text(report, "GO") + "from " + counted(report.terms, "term", "terms") + ", " +
         counted(report.obsolete_terms, "obsolete term", "obsolete terms") + ", " +
         counted(report.parents, "parent", "parents") + " and " +
         counted(report.synonyms, "synonym", "synonyms") + " in the source; repeated synonyms " +
         grouped(report.repeated_synonyms) + ", repeated parents " +
         grouped(report.repeated_parents) + "\n" + end_text(report);
}

std::string describe(const exchange::JsonlReport& report) {
  std::string out = common_text(report, "JSONL");
  if (report.events > 0) out += "replayed " + counted(report.events, "event", "events") + "\n";
  if (report.settings_applied) out += "the space has the file's settings now\n";
  if (report.settings_differ) out += "the space keeps its own settings\n";
  if (report.abouts_missing > 0) {
    out += counted(report.abouts_missing, "note", "notes") +
           " about an entity that is not live here\n";
  }
  return out + end_text(report);
}

std::string describe(const exchange::McpMemoryReport& report) {
  return common_text(report, "MCP-MEMORY") + "from " +
         counted(report.records, "record", "records") + " in the source; merged entities " +
         grouped(report.merged_entities) + ", repeated observations " +
         grouped(report.repeated_observations) + ", repeated relations " +
         grouped(report.repeated_relations) + ", unknown records " +
         grouped(report.unknown_records) + "\n" + end_text(report);
}

}  // namespace holdfast::cli
