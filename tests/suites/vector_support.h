#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/space/models.h>
#include <holdfast/space/store.h>

namespace holdfast::test {

/// Counts letters, so that whoever holds the text knows the vector. "letters4" has 4 components:
/// how often each letter of the alphabet, counted round, is in the text, and in the last its length
/// too. What "letters4b" makes is twice that.
class LetterEmbedder final : public Embedder {
 public:
  explicit LetterEmbedder(std::string name) : name_(std::move(name)) {}
  static Embedding vector_of(std::string_view name, std::string_view text);
  static std::int64_t dimension_of(std::string_view name);
  std::vector<Embedding> embed(std::span<const std::string> texts) override;

 private:
  std::string name_;
};

/// "letters4", "letters4b" and "letters6".
Embedders letter_embedders();
std::string embedder_of(const Model& model);
/// A model over the contents of notes, chunks of at most 5 characters if `is_cut`.
Model letter_model(const std::string& name, const std::string& embedder, bool is_cut = false);

/// All vectors that are stored of one generation in the space "main", by source.
std::map<Uuid, std::vector<Embedding>> vectors_of(Store& store, const ModelGeneration& generation);

}  // namespace holdfast::test
