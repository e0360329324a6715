#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/vectors/chunking.h>
#include <holdfast/vectors/embedder_spec.h>
#include <holdfast/vectors/metric.h>

namespace holdfast {

/// Rows of one kind that get vectors, and the text that these are made of.
struct ModelSource {
  std::string kind;  ///< of the rows: "entity", "edge", "note", "relation"
  /// JSON pointers into the row's fields, such as /name or /properties/description. The strings
  /// found there, an array's among them one by one, make the text, each on a line of its own; of a
  /// row in which there is nothing to read nothing is embedded.
  std::vector<std::string> paths;
  bool operator==(const ModelSource&) const = default;
};
/// Entities by their names, notes by their contents.
std::vector<ModelSource> default_model_sources();

/// How texts of a space become vectors: declared once, under a name, for all who use the database.
struct Model {
  std::string name;           ///< as of every projection of a space
  std::int64_t dimension = 0; ///< 1 to 8,192
  Metric metric = Metric::cosine;
  EmbedderSpec embedder{};
  std::vector<ModelSource> sources = default_model_sources();
  Chunking chunking{};
  bool operator==(const Model&) const = default;

  /// Reads what to_json() writes; fields left out have their defaults. Throws InvalidArgument.
  static Model parse(std::string_view name, const JsonObject& declaration);
  JsonObject to_json() const;  ///< without the name
};
/// The model in stored form: names normalised, sources by kind. Throws InvalidArgument, which names
/// field and value.
Model check_model(const Model& model);

/// Whether equal texts get equal vectors from both, so that vectors of the one may serve the other.
bool embeds_alike(const Model& a, const Model& b);

/// How an index keeps vectors in memory.
enum class IndexForm {
  codes,   ///< 8 bits a component; what is found is ranked again by the vectors themselves
  floats,  ///< as they are, four times as many bytes
};
std::string_view to_string(IndexForm form);

/// How a model's vectors are indexed. Nothing that is stored of a row depends on it.
struct IndexParameters {
  IndexForm form = IndexForm::codes;
  std::int64_t m = 16;                 ///< neighbours of a vector in the graph, 2 to 64
  std::int64_t ef_construction = 100;  ///< candidates looked at for these, 1 to 10,000
  std::int64_t ef_search = 100;        ///< by a search that does not say, 1 to 10,000
  /// Up to this many vectors, 0 to 1,000,000, are kept as they are and compared one by one.
  std::int64_t exact_max = 4096;
  bool operator==(const IndexParameters&) const = default;

  static IndexParameters parse(const JsonObject& options);
  JsonObject to_json() const;
};
/// Throws InvalidArgument, which names field and value.
void check_index_parameters(const IndexParameters& parameters);

namespace vectors {

/// What models are among the types of projections; frozen, part of the file format.
inline constexpr std::string_view kModelType = "embedding";

}  // namespace vectors
}  // namespace holdfast
