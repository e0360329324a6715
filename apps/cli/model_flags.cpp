#include "model_flags.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/json_text.h>

#include "document.h"
#include "failure.h"
#include "location.h"
#include "text.h"
#include "vector_text.h"

namespace holdfast::cli {
namespace {

constexpr double kLeaseSecondsMax = 24 * 3600;
constexpr double kTimeoutSecondsMax = 600;

std::int64_t parse_count(std::string_view field, const std::string& text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  const std::uint64_t value = parse_whole(field, text, "be a whole number");
  if (value > kMost) throw InvalidArgument(std::string(field), text, "be at most 2^53");
  return static_cast<std::int64_t>(value);
}

/// Builds a document from flags; absent ones are left out.
class Patch {
 public:
  void text(const char* field, const std::optional<std::string>& value) {
    if (!value) return;
    if (!core::is_text(*value)) throw InvalidArgument(field, *value, "be UTF-8 without U+0000");
    raw(field, json_string(*value));
  }
  void whole(const char* field, const std::optional<std::string>& value) {
    if (value) raw(field, std::to_string(parse_count(field, *value)));
  }
  void raw(const char* field, const std::string& json) {
    out_.raw(field, json);
    is_empty_ = false;
  }
  bool is_empty() const { return is_empty_; }
  JsonObject finish() { return JsonObject::trusted(out_.finish()); }

 private:
  core::JsonWriter out_;
  bool is_empty_ = true;
};

std::string timeout_ms(const std::string& text) {
  const double seconds = parse_amount("timeout", text, "be 0.001 to 600 seconds");
  if (!(seconds >= 0.001 && seconds <= kTimeoutSecondsMax)) {
    throw InvalidArgument("timeout", text, "be 0.001 to 600 seconds");
  }
  return std::to_string(std::llround(seconds * 1000));
}

/// The type that the flags say or mean.
std::optional<std::string> embedder_type(const ModelOptions& flags) {
  if (flags.embedder) return flags.embedder;
  if (flags.url || flags.embed_model || flags.key_env) return "http";
  if (flags.embedder_name) return "caller";
  if (flags.gram_min || flags.gram_max) return "hashing";
  return std::nullopt;
}

std::string_view type_of(const EmbedderSpec& embedder) {
  if (std::holds_alternative<HttpEmbedderSpec>(embedder)) return "http";
  return std::holds_alternative<CallerEmbedderSpec>(embedder) ? "caller" : "hashing";
}

/// Names the option that this type of embedder has no use for, or lacks.
void check_flags(const ModelOptions& flags, std::string_view type, std::string_view before) {
  struct Flag {
    const char* option;
    std::optional<std::string> value;
    std::string_view type;
  };
  const auto sent = flags.send_dimension ? std::optional<std::string>("") : std::nullopt;
  for (const Flag& flag : {Flag{"--url", flags.url, "http"},
                           Flag{"--embed-model", flags.embed_model, "http"},
                           Flag{"--key-env", flags.key_env, "http"},
                           Flag{"--timeout", flags.timeout, "http"},
                           Flag{"--send-dimension", sent, "http"},
                           Flag{"--embedder-name", flags.embedder_name, "caller"},
                           Flag{"--gram-min", flags.gram_min, "hashing"},
                           Flag{"--gram-max", flags.gram_max, "hashing"}}) {
    if (!flag.value || flag.type == type) continue;
    refuse_usage(std::string(flag.option) + " is for --embedder " + std::string(flag.type) +
                 ", but this model's is " + std::string(type));
  }
  if (type != "http" || before == "http") return;
  if (!flags.url) refuse_usage("--embedder http needs --url, the endpoint's");
  if (!flags.embed_model) {
    refuse_usage("--embedder http needs --embed-model, what the endpoint calls its model");
  }
}

/// What the flags say of the embedder, without its type.
Patch embedder_patch(const ModelOptions& flags) {
  Patch patch;
  patch.text("name", flags.embedder_name);
  patch.text("url", flags.url);
  patch.text("model", flags.embed_model);
  patch.text("key_env", flags.key_env);
  if (flags.timeout) patch.raw("timeout_ms", timeout_ms(*flags.timeout));
  if (flags.send_dimension) patch.raw("send_dimension", "true");
  patch.whole("gram_min", flags.gram_min);
  patch.whole("gram_max", flags.gram_max);
  return patch;
}

/// The embedder as the flags change `before`; empty when they do not.
std::string embedder_json(const ModelOptions& flags, const EmbedderSpec& before) {
  const auto type = embedder_type(flags);
  Patch patch = embedder_patch(flags);
  if (!type && patch.is_empty()) return "";
  check_flags(flags, type.value_or(std::string(type_of(before))), type_of(before));
  const JsonObject declared = to_json(before);
  if (!type) return merge_patch("embedder", declared, patch.finish()).text();
  const JsonObject typed =
      JsonObject::trusted(core::JsonWriter().raw("type", json_string(*type)).finish());
  const bool is_same = merge_patch("embedder", declared, typed) == declared;
  return merge_patch("embedder", is_same ? declared : typed, patch.finish()).text();
}

/// "entity:/name,/properties/email": commas within a path are no ends of it.
void add_source(const std::string& text, std::vector<ModelSource>& sources) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    throw InvalidArgument("source", text, "be KIND:/path,/path as in note:/content");
  }
  ModelSource source{.kind = text.substr(0, colon), .paths = {}};
  for (std::size_t from = colon + 1;;) {
    const auto end = text.find(",/", from);
    source.paths.push_back(text.substr(from, end == std::string::npos ? end : end - from));
    if (end == std::string::npos) break;
    from = end + 1;
  }
  sources.push_back(std::move(source));
}

std::optional<Model> changed(const Model& before, const ModelOptions& flags) {
  Model model = before;
  if (flags.dimension) model.dimension = parse_count("dimension", *flags.dimension);
  if (flags.metric) model.metric = parse_metric("metric", *flags.metric);
  if (const auto embedder = embedder_json(flags, before.embedder); !embedder.empty()) {
    model.embedder = parse_embedder_spec(JsonObject::trusted(embedder));
  }
  if (!flags.sources.empty()) model.sources.clear();
  for (const std::string& text : flags.sources) add_source(text, model.sources);
  if (flags.chunk_chars) {
    model.chunking.chunk_chars = parse_count("chunk_chars", *flags.chunk_chars);
  }
  if (flags.chunk_overlap) {
    model.chunking.overlap_chars = parse_count("chunk_overlap", *flags.chunk_overlap);
  }
  model = check_model(model);
  if (model == before) return std::nullopt;
  return model;
}

}  // namespace

Model new_model(const std::string& name, const ModelOptions& flags) {
  Model model;
  model.name = name;
  return changed(model, flags).value_or(model);
}

std::optional<Model> changed_model(const Model& declared, const ModelOptions& flags) {
  return changed(declared, flags);
}

std::optional<IndexParameters> changed_parameters(const IndexParameters& set,
                                                  const ModelOptions& flags) {
  Patch patch;
  patch.text("form", flags.form);
  patch.whole("m", flags.m);
  patch.whole("ef_construction", flags.ef_construction);
  patch.whole("ef_search", flags.ef);
  patch.whole("exact_max", flags.exact_max);
  if (patch.is_empty()) return std::nullopt;
  return IndexParameters::parse(merge_patch("index", set.to_json(), patch.finish()));
}

double parse_amount(std::string_view field, const std::string& text, std::string_view rule) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      std::isinf(value)) {
    throw InvalidArgument(std::string(field), text, std::string(rule));
  }
  return value;
}

std::chrono::milliseconds parse_lease(const std::string& text) {
  constexpr std::string_view kRule = "be 0.001 to 86,400 seconds";
  const double seconds = parse_amount("lease", text, kRule);
  if (!(seconds >= 0.001 && seconds <= kLeaseSecondsMax)) {
    throw InvalidArgument("lease", text, std::string(kRule));
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

journal::RebuildOptions rebuild_options(const Options& options) {
  const ProjectionOptions& given = options.projection;
  journal::RebuildOptions rebuild;
  rebuild.owner = this_process();
  rebuild.restart = given.restart;
  rebuild.allow_failures = options.model.allow_failures;
  rebuild.anew = options.model.anew;
  if (given.batch) rebuild.batch = parse_whole("batch", *given.batch, "be 1 to 10,000");
  if (given.lease) rebuild.lease = parse_lease(*given.lease);
  journal::check_rebuild_options(rebuild);
  return rebuild;
}

// --- vectors ---

namespace {

/// MODEL=[...], or [...] for the default model.
void read_vector(const std::string& text, std::vector<GivenVectors>& given) {
  // A model's name may have an equals sign too.
  const auto before_array = text.rfind("=[");
  const auto equals = text.starts_with('[')               ? std::string::npos
                      : before_array != std::string::npos ? before_array
                                                          : text.find('=');
  if (equals == std::string::npos && !text.starts_with('[')) {
    throw InvalidArgument("vector", text, "be MODEL=[x,y,...], or [x,y,...] for the default model");
  }
  const std::string model = equals == std::string::npos ? "" : text.substr(0, equals);
  Embedding vector =
      parse_vector("vector", equals == std::string::npos ? text : text.substr(equals + 1));
  for (GivenVectors& earlier : given) {
    if (earlier.model == model) return earlier.vectors.push_back(std::move(vector));
  }
  given.push_back({.model = model, .vectors = {std::move(vector)}});
}

/// {"model":...,"vectors":[[...]]}, or {"vectors":[...]} with a list of these, as in a plan's step.
void read_document_of(const JsonObject& document, std::vector<GivenVectors>& given) {
  for (const JsonMember& member : document.members()) {
    if (member.key != "vectors" || !member.value.starts_with("[{")) continue;
    if (document.members().size() > 1) {
      throw InvalidArgument("vectors", document.text(), "stand alone when it lists documents");
    }
    for (const JsonObject& one : core::object_list_field(member)) {
      given.push_back(GivenVectors::parse(one));
    }
    return;
  }
  given.push_back(GivenVectors::parse(document));
}

}  // namespace

std::vector<GivenVectors> given_vectors(const Options& options) {
  std::vector<GivenVectors> given;
  for (const std::string& text : options.vector) read_vector(text, given);
  if (options.vectors) read_document_of(read_argument("vectors", *options.vectors), given);
  return given;
}

}  // namespace holdfast::cli
