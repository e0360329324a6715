#include "model_report.h"

#include <cmath>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "failure.h"
#include "projection_report.h"
#include "text.h"

namespace holdfast::cli {
namespace {

std::string sources_text(const std::vector<ModelSource>& sources) {
  std::string out;
  for (const ModelSource& source : sources) {
    out += (out.empty() ? "" : "; ") + source.kind + " ";
    for (std::size_t i = 0; i < source.paths.size(); ++i) {
      out += (i == 0 ? "" : ", ") + source.paths[i];
    }
  }
  return out;
}

std::string chunking_text(const Chunking& chunking) {
  if (chunking.chunk_chars == 0) return "none: each text is one";
  return "of " + grouped(static_cast<std::uint64_t>(chunking.chunk_chars)) + " characters, " +
         grouped(static_cast<std::uint64_t>(chunking.overlap_chars)) + " of them shared";
}

std::string parameters_text(const IndexParameters& parameters) {
  return std::string(to_string(parameters.form)) + ", m " + std::to_string(parameters.m) +
         ", ef " + std::to_string(parameters.ef_search) + ", ef of construction " +
         std::to_string(parameters.ef_construction) + ", exact up to " +
         grouped(static_cast<std::uint64_t>(parameters.exact_max)) + " vectors";
}

std::string holder_text(const std::optional<storage::Lease>& lease) {
  if (!lease) return "by nobody";
  return "by " + lease->owner + ", until " + to_rfc3339(lease->expires_at) + " unless renewed";
}

std::string generation_json(const std::optional<ModelGeneration>& of) {
  if (!of) return "null";
  const journal::Generation& generation = of->generation;
  return core::JsonWriter()
      .unsigned_integer("generation", generation.number)
      .string("state", to_string(generation.state))
      .raw("declaration", of->model.to_json().text())
      .boolean("is_outdated", of->is_outdated)
      .unsigned_integer("current", of->sources.current)
      .unsigned_integer("stale", of->sources.stale)
      .unsigned_integer("missing", of->sources.missing)
      .unsigned_integer("failed", of->failed)
      .unsigned_integer("pending", of->pending())
      .unsigned_integer("behind", of->behind)
      .unsigned_integer("vectors", of->vectors)
      .unsigned_integer("watermark", generation.watermark)
      .boolean("walk_done", generation.walk_done)
      .unsigned_integer("walked", generation.walked)
      .unsigned_integer("total",
                        of->sources.current + of->sources.stale + of->sources.missing)
      .integer("created_at", to_us(generation.created_at))
      .finish();
}

void add_generation(Table& table, const std::optional<ModelGeneration>& of) {
  if (!of) return;
  const journal::Generation& generation = of->generation;
  const std::uint64_t total = of->sources.current + of->sources.stale + of->sources.missing;
  table.add({grouped(generation.number),
             std::string(to_string(generation.state)) + (of->is_outdated ? ", outdated" : ""),
             grouped(generation.walked) + " of " + grouped(total), grouped(of->sources.current),
             grouped(of->sources.stale), grouped(of->sources.missing), grouped(of->failed),
             grouped(of->pending()), grouped(of->behind), grouped(of->vectors)});
}

std::string generations_text(const ModelStatus& status) {
  Table table({{"GENERATION", Align::right},
               {"STATE"},
               {"WALKED", Align::right},
               {"CURRENT", Align::right},
               {"STALE", Align::right},
               {"MISSING", Align::right},
               {"FAILED", Align::right},
               {"PENDING", Align::right},
               {"BEHIND", Align::right},
               {"VECTORS", Align::right}});
  add_generation(table, status.serving);
  add_generation(table, status.building);
  return table.text();
}

std::string file_text(const IndexStatus& index) {
  if (index.file.empty()) return "none is kept";
  if (index.is_file_usable) {
    return index.file + ", " + grouped(index.file_bytes) + " bytes, as of change " +
           grouped(index.file_cursor);
  }
  if (index.file_bytes == 0) return "none yet; it would be " + index.file;
  return index.file + ", of no use" +
         (index.file_refusal.empty() ? "" : ": " + index.file_refusal);
}

FieldList fields_of(const DeclaredModel& declared) {
  const Model& model = declared.model;
  FieldList fields;
  fields.add("dimension", std::to_string(model.dimension))
      .add("metric", to_string(model.metric))
      .add("embedder", describe(model.embedder))
      .add("texts of", sources_text(model.sources))
      .add("chunks", chunking_text(model.chunking))
      .add("index", parameters_text(declared.parameters));
  return fields;
}

std::string title(const DeclaredModel& declared) {
  return "model " + printable(declared.model.name) + (declared.is_default ? ", the default" : "");
}

}  // namespace

std::string model_named(const Space& space, const std::string& name) {
  if (!name.empty()) return name;
  const auto declared = space.models().find_default();
  if (!declared) {
    throw Refused({.exit_code = static_cast<int>(Exit::not_found),
                   .code = "not_found",
                   .message = std::string(kNoDefaultModel),
                   .fields = {{"kind", "\"model\""}, {"id", "\"\""}}});
  }
  return declared->model.name;
}

std::string describe(const EmbedderSpec& embedder) {
  if (const auto* hashing = std::get_if<HashingEmbedderSpec>(&embedder)) {
    if (hashing->gram_max == 0) return "hashing, by whole words";
    return "hashing, by words and their parts of " + std::to_string(hashing->gram_min) + " to " +
           std::to_string(hashing->gram_max) + " characters";
  }
  if (const auto* http = std::get_if<HttpEmbedderSpec>(&embedder)) {
    return http->model + " at " + http->url +
           (http->key_env ? ", with the key in $" + *http->key_env : ", without a key");
  }
  const auto& name = std::get<CallerEmbedderSpec>(embedder).name;
  return name ? "the program's own \"" + *name + "\"" : "none: vectors come with the writes";
}

std::string to_json(const DeclaredModel& declared) {
  const JsonObject declaration = declared.model.to_json();
  core::JsonWriter out;
  out.string("name", declared.model.name);
  for (const JsonMember& member : declaration.members()) {
    out.raw(member.key, member.value);
  }
  return out.raw("index", declared.parameters.to_json().text())
      .boolean("is_default", declared.is_default)
      .integer("created_at", to_us(declared.created_at))
      .finish();
}

std::string describe(const DeclaredModel& declared) {
  FieldList fields = fields_of(declared);
  fields.add("declared", to_rfc3339(declared.created_at));
  return title(declared) + "\n" + fields.text();
}

std::string to_json(const IndexStatus& index) {
  return core::JsonWriter()
      .unsigned_integer("generation", index.generation)
      .raw("parameters", index.parameters.to_json().text())
      .string("state", to_string(index.state))
      .unsigned_integer("stored", index.stored)
      .unsigned_integer("vectors", index.vectors)
      .unsigned_integer("tail", index.tail)
      .unsigned_integer("tombstones", index.tombstones)
      .unsigned_integer("strays", index.strays)
      .unsigned_integer("bytes", index.bytes)
      .real("bytes_per_vector", index.bytes_per_vector)
      .unsigned_integer("cursor", index.cursor)
      .unsigned_integer("behind", index.behind)
      .unsigned_integer("building_done", index.building_done)
      .raw("file", index.file.empty() ? "null" : json_string(index.file))
      .boolean("is_file_usable", index.is_file_usable)
      .unsigned_integer("file_cursor", index.file_cursor)
      .unsigned_integer("file_bytes", index.file_bytes)
      .raw("file_refusal", json_string(index.file_refusal))
      .raw("last_error", json_string(index.last_error))
      .finish();
}

std::string describe(const IndexStatus& index) {
  FieldList fields;
  fields.add("state", to_string(index.state))
      .add("vectors", grouped(index.vectors) + " of " + grouped(index.stored) + " stored");
  if (index.state == IndexState::building) fields.add("built", grouped(index.building_done));
  if (index.vectors > 0) {
    fields
        .add("of these", grouped(index.tail) + " in the tail, " + grouped(index.strays) +
                             " looked at one by one")
        .add("tombstones", grouped(index.tombstones))
        .add("memory", grouped(index.bytes) + " bytes, " +
                           grouped(static_cast<std::uint64_t>(
                               std::llround(index.bytes_per_vector))) +
                           " a vector");
  }
  fields.add("changes", "up to " + grouped(index.cursor) + ", " + grouped(index.behind) +
                            " to take in");
  fields.add("file", file_text(index));
  if (!index.last_error.empty()) fields.add("last error", index.last_error);
  return "index in this process, of generation " + grouped(index.generation) + "\n" +
         fields.text();
}

std::string to_json(const ModelStatus& status, const IndexStatus& index) {
  return core::JsonWriter()
      .raw("model", to_json(status.declared))
      .unsigned_integer("tail", status.tail)
      .raw("serving", generation_json(status.serving))
      .raw("building", generation_json(status.building))
      .raw("rebuild", lease_json(status.rebuild_lease))
      .raw("embed", lease_json(status.embed_lease))
      .raw("index", to_json(index))
      .finish();
}

std::string describe(const ModelStatus& status, const IndexStatus& index) {
  FieldList fields = fields_of(status.declared);
  fields.add("journal's end", grouped(status.tail))
      .add("being rebuilt", holder_text(status.rebuild_lease))
      .add("being embedded", holder_text(status.embed_lease))
      .add("declared", to_rfc3339(status.declared.created_at));
  return title(status.declared) + "\n" + fields.text() + generations_text(status) +
         describe(index);
}

std::string outcomes_json(const std::map<std::string, std::uint64_t>& outcomes) {
  core::JsonWriter out;
  for (const auto& [outcome, count] : outcomes) out.unsigned_integer(outcome, count);
  return out.finish();
}

std::string outcomes_text(const std::map<std::string, std::uint64_t>& outcomes) {
  std::string out;
  for (const auto& [outcome, count] : outcomes) {
    out += (out.empty() ? "" : ", ") + outcome + " " + grouped(count);
  }
  return out.empty() ? "nothing" : out;
}

std::string problems_json(const std::vector<journal::DerivedProblem>& problems) {
  std::vector<std::string> items;
  for (const journal::DerivedProblem& problem : problems) items.push_back(problem_json(problem));
  return json_array(items);
}

std::string to_json(const journal::DerivedFailure& failure) {
  return core::JsonWriter()
      .string("kind", failure.kind)
      .string("id", to_string(failure.id))
      .unsigned_integer("as_of", failure.as_of)
      .unsigned_integer("attempts", failure.attempts)
      .raw("reason", json_string(failure.reason))
      .integer("at", to_us(failure.at))
      .finish();
}

}  // namespace holdfast::cli
