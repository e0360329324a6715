#include <algorithm>
#include <cmath>

#include <holdfast/core/error.h>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

/// What the naive answer is made of.
struct Known {
  Entity row;
  Embedding vector;
};

float distance_of(const Embedding& a, const Embedding& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

Ids naive(const std::vector<Known>& rows, const std::vector<Entity>& listed, const Embedding& to,
          std::size_t k) {
  std::set<Uuid> passing;
  for (const Entity& row : listed) passing.insert(row.id.uuid);
  std::vector<std::pair<float, Uuid>> near;
  for (const Known& known : rows) {
    if (!passing.contains(known.row.id.uuid)) continue;
    near.emplace_back(distance_of(known.vector, to), known.row.id.uuid);
  }
  std::sort(near.begin(), near.end());
  Ids ids;
  for (std::size_t i = 0; i < std::min(k, near.size()); ++i) ids.push_back(near[i].second);
  return ids;
}

/// 300 entities of random kinds, tags, sizes and times.
class Filtered {
 public:
  explicit Filtered(SimilarStore::Options options) : f(std::move(options)) {
    for (int i = 0; i < 300; ++i) add();
    f.embed();
    f.space->load_index();
  }
  void add() {
    const Embedding vector = random_vector(random, 4);
    std::vector<std::string> tags;
    if (random() % 2 == 0) tags.emplace_back("even");
    if (random() % 50 == 0) tags.emplace_back("rare");
    const std::string size = std::to_string(random() % 100);
    pass_time();
    rows.push_back({f.add(vector, random() % 3 == 0 ? "place" : "person", std::move(tags),
                          R"({"size":)" + size + "}"),
                    vector});
  }
  void pass_time() { f.environment.clock.advance(1s); }

  EntityFilter any_filter() {
    EntityFilter filter;
    switch (random() % 7) {
      case 0: filter.kind = "place"; break;
      case 1: filter.tags_any = {"even"}; break;
      case 2: filter.tags_all = {"rare"}; break;
      case 3: filter.where = {parse_condition("where", "/size < 20")}; break;
      case 4: filter.created.from = rows[random() % rows.size()].row.created_at; break;
      case 5: filter.changed.to = rows[random() % rows.size()].row.created_at; break;
      default:
        filter.kind = "person";
        filter.tags_all = {"even", "rare"};
    }
    return filter;
  }

  void check_one() {
    const EntityFilter filter = any_filter();
    auto request = request_near(random_vector(random, 4), 1 + random() % 40);
    request.filter.entities = filter;
    const auto listed = f.space->entities().list(filter, {.limit = 1000, .cursor = {}});
    const auto& to = std::get<SimilarVector>(request.query).vector;
    CHECK(ids_of(f.similar(request)) == naive(rows, listed.items, to, request.k));
    request.exact = true;
    CHECK(ids_of(f.similar(request)) == naive(rows, listed.items, to, request.k));
  }

  SimilarStore f;
  std::mt19937_64 random{7};
  std::vector<Known> rows;
};

TEST_CASE("filtered answers are those of a naive search, however selective", "[similar][G7]") {
  for (const bool is_graph : {false, true}) {
    Filtered filtered(is_graph ? SimilarStore::in_graph() : SimilarStore::Options{});
    for (int i = 0; i < 100; ++i) filtered.check_one();
  }
}

TEST_CASE("filters that were asked before follow the rows", "[similar][G7]") {
  Filtered filtered(SimilarStore::in_graph());
  for (int i = 0; i < 150; ++i) {
    Known& known = filtered.rows[filtered.random() % filtered.rows.size()];
    filtered.pass_time();
    known.row = written(filtered.f.space->entities().update(known.row.id, [&](Entity& entity) {
      entity.kind = entity.kind == "place" ? "person" : "place";
      entity.tags = {"even", "rare"};
    }));
    if (i % 10 == 0) filtered.add();
    if (i % 20 == 0) {
      known.vector = random_vector(filtered.random, 4);
      filtered.f.set(known.row.id, known.vector);
    }
    filtered.f.embed();
    filtered.check_one();
  }
}

TEST_CASE("ids narrow an answer down to rows that were named", "[similar]") {
  for (const bool is_graph : {false, true}) {
    Filtered filtered(is_graph ? SimilarStore::in_graph() : SimilarStore::Options{});
    auto request = request_near({0, 0, 0, 0}, 100);
    for (int i = 0; i < 5; ++i) {
      request.filter.ids.push_back(filtered.rows[static_cast<std::size_t>(i) * 7].row.id.uuid);
    }
    const auto expected = std::set<Uuid>(request.filter.ids.begin(), request.filter.ids.end());
    const auto found = ids_of(filtered.f.similar(request));
    CHECK(found.size() == 5);
    CHECK(std::set<Uuid>(found.begin(), found.end()) == expected);
    request.filter.entities = EntityFilter{};
    request.filter.entities->kind = "place";
    for (const Uuid& id : ids_of(filtered.f.similar(request))) {
      CHECK(expected.contains(id));
      CHECK(filtered.f.space->entities().get({id}).kind == "place");
    }
  }
}

TEST_CASE("a filter that nothing passes finds nothing, one that everything passes all",
          "[similar][G7]") {
  Filtered filtered(SimilarStore::in_graph());
  auto request = request_near({0, 0, 0, 0}, 1000);
  request.filter.entities = EntityFilter{};
  CHECK(filtered.f.similar(request).items.size() == 300);
  request.filter.entities->kind = "nothing of this kind";
  CHECK(filtered.f.similar(request).items.empty());
  request.filter.entities.reset();
  request.filter.notes = NoteFilter{};
  CHECK(filtered.f.similar(request).items.empty());
}

TEST_CASE("notes that have expired are left out unless they are asked for", "[similar]") {
  SimilarStore f;
  Note note;
  note.kind = "reminder";
  note.content = "1 0 0 0";
  note.expires_at = f.environment.clock.now() + 60s;
  const Uuid id = written(f.space->notes().insert_if_absent(note)).id.uuid;
  f.embed();
  CHECK(f.ids_near({1, 0, 0, 0}) == Ids{id});
  auto request = request_near({1, 0, 0, 0});
  request.filter.notes = NoteFilter{};
  CHECK(ids_of(f.similar(request)) == Ids{id});
  f.environment.clock.advance(61s);
  CHECK(f.ids_near({1, 0, 0, 0}).empty());
  CHECK(ids_of(f.similar(request)).empty());
  request.filter.notes->include_expired = true;
  CHECK(ids_of(f.similar(request)) == Ids{id});
}

}  // namespace
}  // namespace holdfast::test
