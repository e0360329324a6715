#include "suites/similar_support.h"

#include <sstream>


namespace holdfast::test {

std::vector<Embedding> NumbersEmbedder::embed(std::span<const std::string> texts) {
  if (before) before();
  std::vector<Embedding> made;
  for (const std::string& text : texts) {
    Embedding vector(dimension_, 0.0F);
    std::istringstream in(text);
    for (float& component : vector) {
      if (!(in >> component)) component = 0;
    }
    made.push_back(std::move(vector));
  }
  return made;
}

std::string numbers(const Embedding& vector) {
  std::ostringstream out;
  for (const float component : vector) out << component << ' ';
  std::string text = out.str();
  text.pop_back();
  return text;
}

SimilarStore::SimilarStore(Options options)
    : embedder(std::make_shared<NumbersEmbedder>(static_cast<std::size_t>(options.dimension))),
      backend(backend_under_test()),
      options_(std::move(options)) {
  reopen();
  Model model{.name = "m", .dimension = options_.dimension, .metric = options_.metric};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  const auto created = space->models().create(model, options_.parameters);
  REQUIRE(created.outcome == ModelOutcome::created);
}

SimilarStore::Options SimilarStore::in_graph() {
  Options options;
  options.parameters.exact_max = 0;
  options.index.tail_max = 16;
  return options;
}

StoreOptions SimilarStore::store_options() const {
  StoreOptions options{.database = backend->options()};
  if (!options_.in_real_time) {
    options.environment = const_cast<core::Environment*>(&environment.environment);
  }
  options.vector_index = options_.index;
  options.embedders = {{"numbers", embedder}};
  return options;
}

void SimilarStore::reopen() {
  space.reset();
  store.reset();
  store = Store::open(store_options());
  space = std::make_unique<Space>(store->create_space("main", "tester"));
}

std::unique_ptr<Store> SimilarStore::open_another() const { return Store::open(store_options()); }

Entity SimilarStore::add(const Embedding& vector, const std::string& kind,
                         std::vector<std::string> tags, const std::string& properties) {
  Entity entity;
  entity.kind = kind;
  entity.name = numbers(vector);
  entity.tags = std::move(tags);
  entity.properties = JsonObject::parse("properties", properties);
  return written(space->entities().insert_if_absent(entity));
}

Note SimilarStore::add_note(const Embedding& vector) {
  Note note;
  note.kind = "observation";
  note.content = numbers(vector);
  return written(space->notes().insert_if_absent(note));
}

void SimilarStore::set(EntityId id, const Embedding& vector) {
  const auto result =
      space->entities().update(id, [&](Entity& entity) { entity.name = numbers(vector); });
  REQUIRE((result.applied() || result.outcome == Outcome::unchanged));
}

void SimilarStore::remove(EntityId id) {
  REQUIRE(space->entities().remove(id).applied());
}

Entity SimilarStore::embedded(const Embedding& vector) {
  Entity entity = add(vector);
  embed();
  return entity;
}

SimilarAnswer SimilarStore::nearest(const Embedding& to, std::size_t k) const {
  return space->similar(request_near(to, k));
}

std::vector<Uuid> SimilarStore::ids_near(const Embedding& to, std::size_t k) const {
  return ids_of(nearest(to, k));
}

void SimilarStore::at(std::string_view seam, const std::function<void()>& act, int nth) {
  seams_[std::string(seam)] = {nth, act};
  environment.faults.arm([this](std::string_view point) {
    const auto found = seams_.find(point);
    if (found == seams_.end() || --found->second.first != 0) return;
    found->second.second();
  });
}

Embedding random_vector(std::mt19937_64& random, std::size_t dimension) {
  Embedding vector;
  for (std::size_t i = 0; i < dimension; ++i) {
    vector.push_back(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000.0F);
  }
  return vector;
}

SimilarRequest request_near(const Embedding& vector, std::size_t k) {
  SimilarRequest request;
  request.query = SimilarVector{.vector = vector};
  request.k = k;
  return request;
}

std::vector<Uuid> ids_of(const SimilarAnswer& answer) {
  std::vector<Uuid> ids;
  for (const SimilarItem& item : answer.items) ids.push_back(item.id);
  return ids;
}

}  // namespace holdfast::test
