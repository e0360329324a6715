#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/vectors/given_vectors.h>

#include "suites/support.h"
#include "support/fake_embedder.h"

namespace holdfast::test {

/// A store that can embed: by "fake", of 3 dimensions, "other", of 3 as well, and "wide", of 5.
class Embedding3 {
 public:
  Embedding3();

  const Space& space() const { return *store.space; }
  Models models() const { return store.space->models(); }
  /// Of entities' names and notes' contents.
  Model model(const std::string& name = "m", const std::string& embedder = "fake") const;
  /// Whose vectors come with the writes alone.
  Model caller_model(const std::string& name = "m") const;
  /// Declared and built.
  void create(const Model& model) const;
  void create() const { create(model()); }

  /// What is stored of a row in the serving generation, or in the one of that state; empty for
  /// nothing.
  std::vector<Embedding> stored(
      std::string_view kind, const Uuid& id, const std::string& model = "m",
      journal::GenerationState state = journal::GenerationState::serving) const;
  std::vector<Embedding> stored(const Entity& entity, const std::string& model = "m") const {
    return stored("entity", entity.id.uuid, model);
  }
  std::vector<Embedding> stored(const Note& note, const std::string& model = "m") const {
    return stored("note", note.id.uuid, model);
  }
  /// The last change of the row's vectors; 0 for none.
  std::uint64_t change_of(const Uuid& id, const std::string& model = "m") const;
  journal::Generation serving(const std::string& model = "m") const;
  journal::SourceCounts counts(const std::string& model = "m") const;
  std::uint64_t failed(const std::string& model = "m") const;
  /// The name of what the call throws of this library's, "" for nothing.
  static std::string thrown_by(const std::function<void()>& call);
  /// Rows in a table.
  std::uint64_t rows_in(const std::string& table) const;
  /// The `nth` time that `seam` is passed, `act` runs once.
  void at(std::string_view seam, const std::function<void()>& act, int nth = 1);

  std::shared_ptr<FakeEmbedder> fake = std::make_shared<FakeEmbedder>(3, 1);
  std::shared_ptr<FakeEmbedder> other = std::make_shared<FakeEmbedder>(3, 2);
  std::shared_ptr<FakeEmbedder> wide = std::make_shared<FakeEmbedder>(5, 3);
  TestStore store;
};

inline std::vector<Embedding> one(Embedding vector) { return {std::move(vector)}; }

inline GivenVectors given(Embedding vector, const std::string& model = "m") {
  return {.model = model, .vectors = {std::move(vector)}};
}
inline WriteOptions with(GivenVectors vectors) { return {.vectors = {std::move(vectors)}}; }

/// An entity to be inserted.
inline Entity person(const std::string& name) {
  Entity entity;
  entity.kind = "person";
  entity.name = name;
  return entity;
}

}  // namespace holdfast::test
