#include <holdfast/vectors/model.h>

#include <algorithm>
#include <array>
#include <functional>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/journal/json_pointer.h>

#include "dimension.h"

namespace holdfast {
namespace {

constexpr std::size_t kSourcesMax = 16;
constexpr std::size_t kPathsMax = 64;
constexpr std::array kForms = {IndexForm::codes, IndexForm::floats};

/// Errors of `read` name the field that it is in.
template <class Read>
auto within(const std::string& field, const Read& read) {
  try {
    return read();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(field + "." + error.field(), error.value(), error.rule());
  }
}

JsonObject object_in(const JsonMember& member) {
  return core::object_field(member, core::Fields::set, {});
}

// --- sources ---

ModelSource parse_source(const JsonObject& document) {
  ModelSource source;
  core::apply_fields(
      document,
      {{"kind", [&](const JsonMember& m) { source.kind = core::string_field(m); }},
       {"paths", [&](const JsonMember& m) { source.paths = core::string_list_field(m); }}});
  return source;
}

std::vector<ModelSource> parse_sources(const JsonMember& member) {
  std::vector<ModelSource> sources;
  for (const JsonObject& document : core::object_list_field(member)) {
    sources.push_back(within(member.key + "[" + std::to_string(sources.size()) + "]",
                             [&] { return parse_source(document); }));
  }
  return sources;
}

ModelSource check_source(const ModelSource& source) {
  ModelSource checked{.kind = core::check_name("kind", source.kind), .paths = source.paths};
  if (checked.paths.empty() || checked.paths.size() > kPathsMax) {
    throw InvalidArgument("paths", std::to_string(checked.paths.size()), "be 1 to 64");
  }
  for (std::size_t i = 0; i < checked.paths.size(); ++i) {
    const std::string field = "paths[" + std::to_string(i) + "]";
    (void)core::check_name(field, checked.paths[i]);
    (void)journal::check_pointer(field, checked.paths[i]);
    const auto here = checked.paths.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(checked.paths.begin(), here, *here) != here) {
      throw InvalidArgument(field, *here, "be named once");
    }
  }
  return checked;
}

std::vector<ModelSource> check_sources(const std::vector<ModelSource>& sources) {
  if (sources.empty() || sources.size() > kSourcesMax) {
    throw InvalidArgument("sources", std::to_string(sources.size()), "be 1 to 16");
  }
  std::vector<ModelSource> checked;
  for (const ModelSource& source : sources) {
    const std::string field = "sources[" + std::to_string(checked.size()) + "]";
    checked.push_back(within(field, [&] { return check_source(source); }));
    const auto is_same = [&](const ModelSource& earlier) {
      return earlier.kind == checked.back().kind;
    };
    if (std::any_of(checked.begin(), checked.end() - 1, is_same)) {
      throw InvalidArgument(field + ".kind", source.kind, "be named once");
    }
  }
  std::sort(checked.begin(), checked.end(),
            [](const ModelSource& a, const ModelSource& b) { return a.kind < b.kind; });
  return checked;
}

std::string sources_json(const std::vector<ModelSource>& sources) {
  std::string list = "[";
  for (const ModelSource& source : sources) {
    std::string paths = "[";
    for (const std::string& path : source.paths) {
      if (paths.size() > 1) paths += ",";
      core::append_json_string(paths, path);
    }
    core::JsonWriter out;
    out.string("kind", source.kind).raw("paths", paths + "]");
    list += (list.size() > 1 ? "," : "") + out.finish();
  }
  return list + "]";
}

// --- the rest ---

Chunking parse_chunking(const JsonObject& document) {
  Chunking chunking;
  core::apply_fields(
      document,
      {{"chunk_chars", [&](const JsonMember& m) { chunking.chunk_chars = core::integer_field(m); }},
       {"overlap_chars",
        [&](const JsonMember& m) { chunking.overlap_chars = core::integer_field(m); }}});
  return chunking;
}

std::string chunking_json(const Chunking& chunking) {
  core::JsonWriter out;
  out.integer("chunk_chars", chunking.chunk_chars)
      .integer("overlap_chars", chunking.overlap_chars);
  return out.finish();
}

bool makes_alike(const EmbedderSpec& a, const EmbedderSpec& b) {
  const auto* const one = std::get_if<HttpEmbedderSpec>(&a);
  const auto* const other = std::get_if<HttpEmbedderSpec>(&b);
  if (one == nullptr || other == nullptr) return a == b;
  // How long is waited, and with which key, changes no vector.
  return one->url == other->url && one->model == other->model &&
         one->send_dimension == other->send_dimension;
}

IndexForm parse_form(const JsonMember& member) {
  const std::string text = core::string_field(member);
  for (const IndexForm form : kForms) {
    if (to_string(form) == text) return form;
  }
  throw InvalidArgument(member.key, text, "be codes or floats");
}

void check_range(const char* field, std::int64_t value, std::int64_t least, std::int64_t most,
                 const char* rule) {
  if (value < least || value > most) throw InvalidArgument(field, std::to_string(value), rule);
}

}  // namespace

std::vector<ModelSource> default_model_sources() {
  return {{.kind = "entity", .paths = {"/name"}}, {.kind = "note", .paths = {"/content"}}};
}

Model Model::parse(std::string_view name, const JsonObject& declaration) {
  Model model;
  model.name = name;
  core::apply_fields(
      declaration,
      {{"dimension", [&](const JsonMember& m) { model.dimension = core::integer_field(m); }},
       {"metric",
        [&](const JsonMember& m) { model.metric = parse_metric(m.key, core::string_field(m)); }},
       {"embedder",
        [&](const JsonMember& m) {
          model.embedder = within(m.key, [&] { return parse_embedder_spec(object_in(m)); });
        }},
       {"sources", [&](const JsonMember& m) { model.sources = parse_sources(m); }},
       {"chunking", [&](const JsonMember& m) {
          model.chunking = within(m.key, [&] { return parse_chunking(object_in(m)); });
        }}});
  return check_model(model);
}

JsonObject Model::to_json() const {
  core::JsonWriter out;
  out.integer("dimension", dimension)
      .string("metric", holdfast::to_string(metric))
      .raw("embedder", holdfast::to_json(embedder).text())
      .raw("sources", sources_json(sources))
      .raw("chunking", chunking_json(chunking));
  return JsonObject::trusted(out.finish());
}

Model check_model(const Model& model) {
  Model checked = model;
  checked.name = core::check_name("model", model.name);
  vectors::check_dimension(model.dimension < 0 ? 0 : static_cast<std::size_t>(model.dimension));
  within("embedder", [&] { check_embedder_spec(model.embedder); });
  checked.sources = check_sources(model.sources);
  within("chunking", [&] { check_chunking(model.chunking); });
  return checked;
}

bool embeds_alike(const Model& a, const Model& b) {
  return a.dimension == b.dimension && a.chunking == b.chunking &&
         makes_alike(a.embedder, b.embedder);
}

std::string_view to_string(IndexForm form) {
  return form == IndexForm::codes ? "codes" : "floats";
}

IndexParameters IndexParameters::parse(const JsonObject& options) {
  IndexParameters parameters;
  const auto integer = [](std::int64_t& to) {
    return [&to](const JsonMember& m) { to = core::integer_field(m); };
  };
  core::apply_fields(
      options, {{"form", [&](const JsonMember& m) { parameters.form = parse_form(m); }},
                {"m", integer(parameters.m)},
                {"ef_construction", integer(parameters.ef_construction)},
                {"ef_search", integer(parameters.ef_search)},
                {"exact_max", integer(parameters.exact_max)}});
  check_index_parameters(parameters);
  return parameters;
}

JsonObject IndexParameters::to_json() const {
  core::JsonWriter out;
  out.string("form", holdfast::to_string(form))
      .integer("m", m)
      .integer("ef_construction", ef_construction)
      .integer("ef_search", ef_search)
      .integer("exact_max", exact_max);
  return JsonObject::trusted(out.finish());
}

void check_index_parameters(const IndexParameters& parameters) {
  check_range("m", parameters.m, 2, 64, "be 2 to 64");
  check_range("ef_construction", parameters.ef_construction, 1, 10'000, "be 1 to 10,000");
  check_range("ef_search", parameters.ef_search, 1, 10'000, "be 1 to 10,000");
  check_range("exact_max", parameters.exact_max, 0, 1'000'000, "be 0 to 1,000,000");
}

}  // namespace holdfast
