// Texts get another embedder, of another dimension, while writers edit them and readers search them
// all the time. The old vectors serve until the new ones are complete. Every answer is checked
// against the rows as they were at its sequence: a vector of an older text would have another
// distance.
#include <atomic>
#include <cmath>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include <holdfast/space/store.h>

using namespace holdfast;

namespace {

constexpr std::size_t kRows = 300;
constexpr int kEdits = 200;  // of each writer
constexpr std::size_t kWanted = 10;

/// Counts in a text: letters, or pairs of them by a hash.
class Counting : public Embedder {
 public:
  explicit Counting(std::size_t width, std::size_t dimension)
      : width_(width), dimension_(dimension) {}

  std::vector<Embedding> embed(std::span<const std::string> texts) override {
    std::vector<Embedding> vectors;
    for (const std::string& text : texts) vectors.push_back(embed_one(text));
    return vectors;
  }
  Embedding embed_one(const std::string& text) const {
    Embedding vector(dimension_);
    for (std::size_t at = 0; at + width_ <= text.size(); ++at) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < width_; ++i) {
        place = place * 31 + static_cast<unsigned char>(text[at + i]);
      }
      vector[place % dimension_] += 1;
    }
    return vector;
  }

 private:
  std::size_t width_;
  std::size_t dimension_;
};

const auto kLetters = std::make_shared<Counting>(1, 26);
const auto kPairs = std::make_shared<Counting>(2, 64);

Model model_by(const char* embedder, std::int64_t dimension) {
  Model model;
  model.name = "texts";
  model.dimension = dimension;
  model.metric = Metric::l2;
  model.embedder = CallerEmbedderSpec{.name = embedder};
  model.sources = {{.kind = "entity", .paths = {"/name"}}};
  return model;
}

std::string random_text(std::mt19937& random) {
  std::string text(24, ' ');
  for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
  return text;
}

float distance(const Embedding& a, const Embedding& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

/// What everybody does, and what the readers have found.
struct Traffic {
  Space space;
  std::vector<EntityId> ids{};
  std::uint64_t old_generation = 0;
  std::atomic<bool> is_over = false;
  std::atomic<int> edits = 0;
  std::atomic<int> answers_by_old = 0;
  std::atomic<int> answers_by_new = 0;
  std::atomic<int> wrong = 0;
};

void write(Traffic& traffic, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < kEdits; ++i) {
    const EntityId id = traffic.ids[random() % traffic.ids.size()];
    const std::string text = random_text(random);
    const auto result = traffic.space.entities().update(id, [&](Entity& row) { row.name = text; });
    if (result.applied()) ++traffic.edits;
  }
}

/// Whether what an answer calls current is so: the distance is that of the text as it then was.
bool is_right(const Traffic& traffic, const SimilarAnswer& answer, const std::string& query) {
  const Counting& embedder = answer.generation == traffic.old_generation ? *kLetters : *kPairs;
  // Each row has vectors all the time, stale ones at least.
  if (answer.items.size() != kWanted) return false;
  for (const SimilarItem& item : answer.items) {
    if (item.is_stale) continue;
    const auto row = traffic.space.entities().as_of(EntityId{item.id}, answer.seq);
    const float is = distance(embedder.embed_one(query), embedder.embed_one(row->name));
    if (std::abs(is - item.distance) > 1e-4F) return false;
  }
  return true;
}

void read(Traffic& traffic, unsigned seed) {
  std::mt19937 random(seed);
  std::uint64_t generation = 0;
  while (!traffic.is_over) {
    SimilarRequest request;
    const std::string query = random_text(random);
    request.query = query;
    request.k = kWanted;
    request.staleness = Staleness::flag;
    const SimilarAnswer answer = traffic.space.similar(request);
    const bool goes_back = answer.generation < generation;
    generation = answer.generation;
    if (goes_back || !is_right(traffic, answer, query)) ++traffic.wrong;
    ++(generation == traffic.old_generation ? traffic.answers_by_old : traffic.answers_by_new);
  }
}

/// The new model; each step of it waits until somebody has searched.
journal::RebuildReport change_model(Traffic& traffic) {
  const RebuildModelOptions to{.model = model_by("pairs", 64), .rebuild = {.batch = 16}};
  int seen = 0;
  return traffic.space.models().rebuild("texts", to, [&](const journal::RebuildProgress&) {
    const auto answers = [&] { return traffic.answers_by_old + traffic.answers_by_new; };
    while (answers() == seen) std::this_thread::yield();
    seen = answers();
    return true;
  });
}

/// Rows that are not found by their own text, at distance 0.
int count_lost(const Traffic& traffic) {
  int lost = 0;
  for (const EntityId id : traffic.ids) {
    SimilarRequest request;
    request.query = traffic.space.entities().get(id).name;
    request.k = 1;
    request.filter.ids = {id.uuid};
    const auto answer = traffic.space.similar(request);
    if (answer.items.size() != 1 || answer.items[0].distance > 1e-4F) ++lost;
  }
  return lost;
}

}  // namespace

int main(int, char** arguments) {
  StoreOptions options;
  options.database.path = arguments[1];
  options.embedders = {{"letters", kLetters}, {"pairs", kPairs}};
  const auto store = Store::open(options);
  Traffic traffic{.space = store->create_space("default", "everybody")};
  std::mt19937 random(1);
  Plan plan = traffic.space.plan();
  for (std::size_t i = 0; i < kRows; ++i) {
    Entity row;
    row.kind = "text";
    row.name = random_text(random);
    traffic.ids.push_back(plan.create(row));
  }
  (void)traffic.space.apply(plan);
  const Models models = traffic.space.models();
  const auto created = models.create(model_by("letters", 26));
  traffic.old_generation = created.build.generation;
  std::cout << kRows << " texts by 26 letters: " << to_string(created.outcome) << '\n';

  std::jthread worker([&](const std::stop_token& stop) { (void)models.embed("texts", stop); });
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < 2; ++i) readers.emplace_back([&, i] { read(traffic, 10 + i); });
  std::vector<std::thread> writers;
  for (unsigned i = 0; i < 2; ++i) writers.emplace_back([&, i] { write(traffic, 20 + i); });
  const auto rebuilt = change_model(traffic);
  for (std::thread& writer : writers) writer.join();
  while (traffic.answers_by_new == 0) std::this_thread::yield();
  traffic.is_over = true;
  for (std::thread& reader : readers) reader.join();
  worker.request_stop();
  worker.join();

  std::cout << "to 64 pairs of letters, under " << traffic.edits << " edits: "
            << to_string(rebuilt.end) << '\n';
  (void)models.embed("texts");
  const ModelStatus status = models.status("texts");
  std::cout << "searches answered by the old vectors: "
            << (traffic.answers_by_old > 0 ? "yes" : "no")
            << ", by the new ones: " << (traffic.answers_by_new > 0 ? "yes" : "no") << '\n'
            << "answers that called something current that was not: " << traffic.wrong << '\n'
            << "texts with current vectors: " << status.serving->sources.current << ", stale "
            << status.serving->sources.stale << ", missing " << status.serving->sources.missing
            << '\n'
            << "texts that their own words do not find: " << count_lost(traffic) << '\n'
            << "serving dimension: " << status.serving->model.dimension << '\n';
  return traffic.wrong == 0 && rebuilt.end == journal::RebuildEnd::swapped ? 0 : 1;
}
