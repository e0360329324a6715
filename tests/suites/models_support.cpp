#include "suites/models_support.h"

#include "vectors/vector_rows.h"

namespace holdfast::test {

using journal::GenerationState;

Embedding3::Embedding3() : store(1, {}, {{"fake", fake}, {"other", other}, {"wide", wide}}) {}

Model Embedding3::model(const std::string& name, const std::string& embedder) const {
  Model model;
  model.name = name;
  model.dimension = embedder == "wide" ? 5 : 3;
  model.embedder = CallerEmbedderSpec{.name = embedder};
  return model;
}

Model Embedding3::caller_model(const std::string& name) const {
  Model made = model(name);
  made.embedder = CallerEmbedderSpec{};
  return made;
}

void Embedding3::create(const Model& model) const {
  const auto result = models().create(model);
  INFO(to_string(result.outcome));
  REQUIRE(result.outcome == ModelOutcome::created);
}

std::vector<Embedding> Embedding3::stored(std::string_view kind, const Uuid& id,
                                          const std::string& model,
                                          GenerationState state) const {
  const auto snapshot = store.store->database().snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const auto generation = journal::find_generation(transaction, "main", model, state);
  if (!generation) return {};
  const auto packed = vectors::packed_vectors_of(
      transaction, {.space = "main", .model = model, .generation = generation->number}, kind, id);
  return packed.empty() ? std::vector<Embedding>{} : vectors::unpack(packed);
}

std::uint64_t Embedding3::change_of(const Uuid& id, const std::string& model) const {
  const auto snapshot = store.store->database().snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const auto generation =
      journal::find_generation(transaction, "main", model, GenerationState::serving);
  std::uint64_t change = 0;
  vectors::each_change(transaction,
                       {.space = "main", .model = model, .generation = generation->number}, 0,
                       [&](const vectors::VectorChange& one) {
                         if (one.id == id) change = one.change;
                         return true;
                       });
  return change;
}

journal::Generation Embedding3::serving(const std::string& model) const {
  const auto status = models().status(model);
  REQUIRE(status.serving.has_value());
  return status.serving->generation;
}

journal::SourceCounts Embedding3::counts(const std::string& model) const {
  return models().status(model).serving.value().sources;
}

std::uint64_t Embedding3::failed(const std::string& model) const {
  return models().status(model).serving.value().failed;
}

std::string Embedding3::thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

std::uint64_t Embedding3::rows_in(const std::string& table) const {
  const auto snapshot = store.store->database().snapshot();
  const std::string sql = "SELECT count(*) FROM " + table;
  auto count = snapshot->transaction().prepare(sql);
  return count.step() ? count.get<Sequence>(0) : 0;
}

void Embedding3::at(std::string_view seam, const std::function<void()>& act, int nth) {
  const auto left = std::make_shared<int>(nth);
  store.environment.faults.arm([=, name = std::string(seam)](std::string_view point) {
    if (point != name || --*left != 0) return;
    act();
  });
}

}  // namespace holdfast::test
