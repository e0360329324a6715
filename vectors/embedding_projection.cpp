#include <holdfast/vectors/embedding_projection.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/journal/json_pointer.h>
#include <holdfast/vectors/chunking.h>
#include <holdfast/vectors/given_vectors.h>

#include "vector_rows.h"

namespace holdfast::vectors {
namespace {

using nlohmann::json;

/// The strings at one place, each on a line of its own.
void append_texts(const json& value, std::string& text) {
  if (value.is_array()) {
    for (const json& element : value) {
      if (element.is_string()) append_texts(element, text);
    }
  } else if (value.is_string()) {
    if (!text.empty()) text += '\n';
    text += value.get_ref<const std::string&>();
  }
}

VectorsOf vectors_of(const journal::DerivedOf& of) {
  return {.space = of.space, .model = of.projection, .generation = of.generation};
}

/// Where one kind of row has its text.
struct Source {
  std::string kind;
  std::vector<std::vector<std::string>> paths;
};

std::vector<Source> sources_of(const Model& model) {
  std::vector<Source> sources;
  for (const ModelSource& source : model.sources) {
    sources.push_back({.kind = source.kind, .paths = {}});
    for (const std::string& path : source.paths) {
      sources.back().paths.push_back(journal::check_pointer("path", path));
    }
  }
  return sources;
}

/// Absent when there is nothing to read.
std::optional<std::string> text_of(const Source& source, const std::string& body) {
  const json row = json::parse(body);
  std::string text;
  for (const auto& path : source.paths) {
    if (const json* const value = journal::value_at(row, path)) append_texts(*value, text);
  }
  if (split_into_chunks(text, {}).empty()) return std::nullopt;
  return text;
}

/// The texts of many inputs as one list, and whose they are.
struct Chunks {
  std::vector<std::string> texts;
  std::vector<std::size_t> ends;  ///< of each input's, in `texts`
};

/// Of inputs that cannot be cut the failure is noted, and there is nothing to embed.
Chunks chunks_of(std::span<const std::string> inputs, const Chunking& chunking,
                 std::vector<journal::Derived>& derived) {
  Chunks chunks;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      for (const std::string_view chunk : split_into_chunks(inputs[i], chunking)) {
        chunks.texts.emplace_back(chunk);
      }
    } catch (const InvalidArgument& error) {
      derived[i].failure = error.what();
    }
    chunks.ends.push_back(chunks.texts.size());
  }
  return chunks;
}

/// Why some texts were not decided upon; null when all were.
std::exception_ptr why_stopped(const EmbeddingRun& run) {
  if (run.interrupted) return run.interrupted;
  const auto is_open = [](const EmbeddingOutcome& outcome) {
    return std::holds_alternative<NotEmbedded>(outcome);
  };
  if (std::none_of(run.outcomes.begin(), run.outcomes.end(), is_open)) return nullptr;
  return std::make_exception_ptr(Unavailable("embedding was stopped; what is left is not lost"));
}

/// Packs one input's vectors, unless one of its chunks has failed or was not decided upon.
void take_outcomes(std::span<EmbeddingOutcome> outcomes, const std::exception_ptr& stopped,
                   journal::Derived& derived) {
  std::vector<Embedding> vectors;
  for (EmbeddingOutcome& outcome : outcomes) {
    if (const auto* const failure = std::get_if<EmbeddingFailure>(&outcome)) {
      derived.failure = failure->reason;
      return;
    }
    if (auto* const vector = std::get_if<Embedding>(&outcome)) {
      vectors.push_back(std::move(*vector));
    } else {
      derived.stopped = stopped;
    }
  }
  if (derived.failure.empty() && !derived.stopped) derived.value = pack(vectors);
}

}  // namespace

/// One declaration, and what embeds by it.
struct EmbeddingProjection::Known {
  std::shared_ptr<const Model> model;
  std::vector<Source> sources;
  std::mutex mutex{};
  std::shared_ptr<Embedder> embedder{};           ///< once asked for; guarded by mutex
  std::unique_ptr<ReliableEmbedder> reliable{};   ///< the same

  bool awaits_vectors() const {
    const auto* const caller = std::get_if<CallerEmbedderSpec>(&model->embedder);
    return caller != nullptr && !caller->name;
  }
};

EmbeddingProjection::EmbeddingProjection(Embedders hosts, core::Environment& environment)
    : hosts_(std::move(hosts)), environment_(environment) {}

EmbeddingProjection::EmbeddingProjection(const EmbeddingProjection& other,
                                         const EmbeddingOptions& options, std::stop_token stop)
    : hosts_(other.hosts_),
      environment_(other.environment_),
      options_(options),
      stop_(std::move(stop)) {}

EmbeddingProjection::~EmbeddingProjection() = default;

std::shared_ptr<EmbeddingProjection::Known> EmbeddingProjection::known(
    const JsonObject& declaration) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(declaration.text());
  if (found != known_.end()) return found->second;
  auto model = std::make_shared<Model>(Model::parse("embedding", declaration));
  model->name.clear();
  auto made = std::make_shared<Known>();
  made->sources = sources_of(*model);
  made->model = std::move(model);
  return known_.emplace(declaration.text(), std::move(made)).first->second;
}

std::shared_ptr<const Model> EmbeddingProjection::model(const JsonObject& declaration) const {
  return known(declaration)->model;
}

std::shared_ptr<Embedder> EmbeddingProjection::embedder(const JsonObject& declaration) const {
  const auto found = known(declaration);
  const std::lock_guard lock(found->mutex);
  if (!found->embedder) {
    found->embedder =
        make_embedder(found->model->embedder, static_cast<std::size_t>(found->model->dimension),
                      hosts_, environment_);
  }
  return found->embedder;
}

ReliableEmbedder& EmbeddingProjection::reliable(const JsonObject& declaration) const {
  const auto used = embedder(declaration);
  const auto found = known(declaration);
  const std::lock_guard lock(found->mutex);
  if (!used) throw std::logic_error("a model whose vectors come with the writes embeds nothing");
  if (!found->reliable) {
    found->reliable = std::make_unique<ReliableEmbedder>(
        *used, static_cast<std::size_t>(found->model->dimension), environment_, options_);
  }
  return *found->reliable;
}

std::vector<std::string_view> EmbeddingProjection::sources(const JsonObject& declaration) const {
  // What is known stays so, and the views with it.
  std::vector<std::string_view> kinds;
  for (const Source& source : known(declaration)->sources) kinds.push_back(source.kind);
  return kinds;
}

bool EmbeddingProjection::can_derive(const JsonObject& declaration) const {
  return !known(declaration)->awaits_vectors();
}

bool EmbeddingProjection::derives_alike(const JsonObject& a, const JsonObject& b) const {
  return embeds_alike(*known(a)->model, *known(b)->model);
}

std::optional<std::string> EmbeddingProjection::input(const JsonObject& declaration,
                                                      std::string_view kind,
                                                      const journal::StoredRow& row) const {
  const auto found = known(declaration);
  for (const Source& source : found->sources) {
    if (source.kind == kind) return text_of(source, row.body);
  }
  return std::nullopt;
}

std::vector<journal::Derived> EmbeddingProjection::derive(
    const JsonObject& declaration, std::span<const std::string> inputs) const {
  std::vector<journal::Derived> derived(inputs.size());
  if (inputs.empty()) return derived;
  const auto found = known(declaration);
  const auto chunks = chunks_of(inputs, found->model->chunking, derived);
  auto run = reliable(declaration).embed(chunks.texts, stop_);
  const auto stopped = why_stopped(run);
  std::size_t from = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t end = chunks.ends[i];
    take_outcomes(std::span(run.outcomes).subspan(from, end - from), stopped, derived[i]);
    from = end;
  }
  return derived;
}

std::optional<Uuid> EmbeddingProjection::write(storage::Transaction& transaction,
                                               const journal::DerivedOf& of,
                                               std::string_view derived) const {
  replace_vectors(transaction, vectors_of(of), of.kind, of.id, derived);
  return std::nullopt;
}

void EmbeddingProjection::purge(storage::Transaction& transaction,
                                const journal::DerivedOf& of) const {
  remove_vectors(transaction, vectors_of(of), of.kind, of.id);
}

bool EmbeddingProjection::could_be(const JsonObject& declaration, std::string_view input,
                                   std::string_view derived) const {
  const auto model = known(declaration)->model;
  try {
    (void)pack_for("vectors", *model, input, unpack(derived));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::optional<std::string> EmbeddingProjection::stored(storage::Transaction& transaction,
                                                       const journal::DerivedOf& of) const {
  auto packed = packed_vectors_of(transaction, vectors_of(of), of.kind, of.id);
  if (packed.empty()) return std::nullopt;
  return packed;
}

}  // namespace holdfast::vectors
