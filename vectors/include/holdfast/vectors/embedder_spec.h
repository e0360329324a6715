#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <holdfast/core/environment.h>
#include <holdfast/core/json_text.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast {

/// The built-in embedder, which needs no model. It is *lexical*: texts are near when they share
/// words or parts of words, whatever they mean. {"type":"hashing","gram_min":3,"gram_max":5}
struct HashingEmbedderSpec {
  std::int64_t gram_min = 3;  ///< characters of the shortest parts of words, 2 to 8
  std::int64_t gram_max = 5;  ///< of the longest; both 0: whole words alone
  bool operator==(const HashingEmbedderSpec&) const = default;
};

/// An endpoint that speaks OpenAI's `POST /v1/embeddings`. {"type":"http","url":...,"model":...,
/// "key_env":...,"send_dimension":false,"timeout_ms":30000}
struct HttpEmbedderSpec {
  /// http or https, with or without the /v1 at its end, without user, query or fragment.
  std::string url;
  std::string model;
  /// The *name* of the environment variable that holds the key; the key itself is never stored.
  std::optional<std::string> key_env{};
  /// Asks the endpoint for vectors of the model's dimension, which not every endpoint understands.
  bool send_dimension = false;
  /// For one request, from 1 ms to 10 minutes.
  std::chrono::milliseconds timeout{30'000};
  bool operator==(const HttpEmbedderSpec&) const = default;
};

/// One of the host's own. {"type":"caller","name":...}
struct CallerEmbedderSpec {
  /// Its name among `Embedders`; absent: vectors come with the writes and are never made here.
  std::optional<std::string> name{};
  bool operator==(const CallerEmbedderSpec&) const = default;
};

/// How the vectors of a model are made, as its declaration in the database says.
using EmbedderSpec = std::variant<HashingEmbedderSpec, HttpEmbedderSpec, CallerEmbedderSpec>;

/// Reads what to_json() writes; fields left out have their defaults. Throws InvalidArgument, which
/// names the field, for what check_embedder_spec() would refuse and for unknown fields.
EmbedderSpec parse_embedder_spec(const JsonObject& document);
JsonObject to_json(const EmbedderSpec& spec);
/// Throws InvalidArgument. Credentials in an URL or in the place of a variable's name are not
/// shown.
void check_embedder_spec(const EmbedderSpec& spec);

namespace vectors {

/// The embedder of a model with vectors of `dimension`; null for a CallerEmbedderSpec without a
/// name. Throws InvalidArgument for a spec or a dimension that will not do, and Unavailable when
/// `hosts` has none of the name. `environment` must outlive it.
std::shared_ptr<Embedder> make_embedder(const EmbedderSpec& spec, std::size_t dimension,
                                        const Embedders& hosts, core::Environment& environment);

}  // namespace vectors
}  // namespace holdfast
