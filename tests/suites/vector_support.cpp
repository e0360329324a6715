#include "suites/vector_support.h"

#include "vectors/vector_rows.h"

namespace holdfast::test {

std::int64_t LetterEmbedder::dimension_of(std::string_view name) {
  return name.at(std::string_view("letters").size()) - '0';
}

Embedding LetterEmbedder::vector_of(std::string_view name, std::string_view text) {
  Embedding vector(static_cast<std::size_t>(dimension_of(name)));
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') vector[static_cast<std::size_t>(c - 'a') % vector.size()] += 1;
  }
  vector.back() += static_cast<float>(text.size());
  if (name.ends_with('b')) {
    for (float& component : vector) component *= 2;
  }
  return vector;
}

std::vector<Embedding> LetterEmbedder::embed(std::span<const std::string> texts) {
  std::vector<Embedding> vectors;
  for (const std::string& text : texts) vectors.push_back(vector_of(name_, text));
  return vectors;
}

Embedders letter_embedders() {
  Embedders embedders;
  for (const std::string name : {"letters4", "letters4b", "letters6"}) {
    embedders.emplace(name, std::make_shared<LetterEmbedder>(name));
  }
  return embedders;
}

std::string embedder_of(const Model& model) {
  return std::get<CallerEmbedderSpec>(model.embedder).name.value();
}

Model letter_model(const std::string& name, const std::string& embedder, bool is_cut) {
  Model model;
  model.name = name;
  model.dimension = LetterEmbedder::dimension_of(embedder);
  model.embedder = CallerEmbedderSpec{.name = embedder};
  model.sources = {{.kind = "note", .paths = {"/content"}}};
  model.chunking.chunk_chars = is_cut ? 5 : 0;
  return model;
}

std::map<Uuid, std::vector<Embedding>> vectors_of(Store& store,
                                                  const ModelGeneration& generation) {
  std::map<Uuid, std::vector<Embedding>> all;
  const auto snapshot = store.database().snapshot();
  vectors::each_vector(snapshot->transaction(),
                       {.space = "main",
                        .model = generation.generation.projection,
                        .generation = generation.generation.number,
                        .dimension = static_cast<std::size_t>(generation.model.dimension)},
                       [&](const vectors::StoredVector& stored) {
                         all[stored.id].emplace_back(stored.vector.begin(), stored.vector.end());
                         return true;
                       });
  return all;
}

}  // namespace holdfast::test
