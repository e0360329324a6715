// Searches by vectors through a space: how long one takes beside FAISS's own graph over floats at
// equal recall; without a filter and with filters of 50 %, 5 % and 0.5 %, and its recall; from one
// write, and many, to what they wrote being found; from opening to the first answer; bytes of
// memory for each vector.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <set>
#include <thread>
#include <unordered_map>

#include <holdfast/space/store.h>

#include "floor_hnsw.h"
#include "similar_line.h"
#include "support.h"
#include "tests/support/clustered.h"
#include "vectors/flat_scan.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kDimension = 384;

/// Knows the vectors of texts that are their numbers.
class Known final : public Embedder {
 public:
  explicit Known(const std::vector<float>& rows) : rows_(rows) {}
  std::vector<Embedding> embed(std::span<const std::string> texts) override {
    std::vector<Embedding> made;
    for (const std::string& text : texts) {
      std::size_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      const auto vector = tests::row(rows_, kDimension, number);
      made.emplace_back(vector.begin(), vector.end());
    }
    return made;
  }

 private:
  const std::vector<float>& rows_;
};

StoreOptions options_for(const std::filesystem::path& path, std::shared_ptr<Known> known) {
  StoreOptions options;
  options.database.path = path;
  options.embedders = {{"known", std::move(known)}};
  return options;
}

void fill(const Space& space, std::size_t count) {
  constexpr std::size_t kAtOnce = 1000;
  for (std::size_t from = 0; from < count; from += kAtOnce) {
    space.write([&](journal::Appender& appender) {
      for (std::size_t i = from; i < std::min(count, from + kAtOnce); ++i) {
        Entity entity;
        entity.id = {uuid_v5({}, std::to_string(i))};
        entity.kind = "thing";
        entity.name = std::to_string(i);
        if (i % 2 == 0) entity.tags.emplace_back("half");
        if (i % 20 == 0) entity.tags.emplace_back("twentieth");
        if (i % 200 == 0) entity.tags.emplace_back("rare");
        entity.created_at = from_us(1);
        entity.revision = {1};
        const auto result = graph::EntityStore::insert_if_absent(appender, entity);
        require(result.applied(), "an entity was refused");
      }
    });
  }
}

void declare(const Space& space, std::int64_t ef) {
  Model model{.name = "m", .dimension = kDimension, .metric = Metric::cosine};
  model.embedder = CallerEmbedderSpec{.name = "known"};
  CreateModelOptions options;
  options.rebuild.batch = 1000;
  const auto created = space.models().create(model, {.ef_search = ef}, options);
  require(created.outcome == ModelOutcome::created, "the model was not made");
}

/// Vectors of length 1, so that FAISS's distances order them as ours do.
std::vector<float> make_vectors(const tests::Clustered& clustered, std::size_t count,
                                std::uint32_t part) {
  std::vector<float> rows = clustered.make(count, part);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = std::span(rows).subspan(i * kDimension, kDimension);
    double sum = 0;
    for (const float component : row) sum += component * component;
    tests::multiply(row, static_cast<float>(1 / std::sqrt(sum)));
  }
  return rows;
}

SimilarRequest request_for(std::span<const float> vector, std::string_view tag) {
  SimilarRequest request;
  request.query = SimilarVector{.vector = Embedding(vector.begin(), vector.end())};
  request.model = "m";
  if (!tag.empty()) {
    request.filter.entities = EntityFilter{};
    request.filter.entities->tags_any = {std::string(tag)};
  }
  return request;
}

double recall_of(const Space& space, const std::vector<float>& queries, std::size_t count,
                 std::string_view tag) {
  double found = 0;
  double wanted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto request = request_for(tests::row(queries, kDimension, i), tag);
    std::set<Uuid> near;
    for (const SimilarItem& item : space.similar(request).items) near.insert(item.id);
    request.exact = true;
    for (const SimilarItem& item : space.similar(request).items) {
      found += near.contains(item.id) ? 1 : 0;
      ++wanted;
    }
  }
  return found / wanted;
}

void run_queries(const Space& space, const std::vector<float>& queries, std::size_t count,
                 std::size_t exact, std::string_view name, std::string_view tag) {
  const auto start = Clock::now();
  (void)space.similar(request_for(tests::row(queries, kDimension, 0), tag));
  const double first = us_since(start);
  std::vector<double> took;
  for (std::size_t i = 0; i < count; ++i) {
    const auto request = request_for(tests::row(queries, kDimension, i), tag);
    const auto begin = Clock::now();
    const auto answer = space.similar(request);
    took.push_back(us_since(begin));
    require(answer.items.size() == 10 && answer.searched != SearchedIn::rows, "too few came");
  }
  print_line({.name = name,
              .numbers = {{"p50_us", quantile(took, 0.5)},
                          {"p99_us", quantile(took, 0.99)},
                          {"first_us", first},
                          {"recall", recall_of(space, queries, exact, tag)}}});
}

/// A row that comes with its vector.
Uuid write_one(const Space& space, const Embedding& vector) {
  Entity entity;
  entity.kind = "thing";
  entity.name = "written";
  const WriteOptions options{.vectors = {{.model = "m", .vectors = {vector}}}};
  return space.entities().insert_if_absent(entity, options).current->id.uuid;
}

/// From the acknowledged write to an answer that has it, here and through another handle.
void run_writes(const Space& space, const Space& other, const std::vector<float>& queries,
                std::size_t count) {
  std::vector<double> alone;
  std::vector<double> here;
  std::vector<double> there;
  std::vector<double> taken_in;
  for (std::size_t i = 0; i < count; ++i) {
    const auto request = request_for(tests::row(queries, kDimension, i), "");
    (void)space.similar(request);
    (void)other.similar(request);
    auto begin = Clock::now();
    (void)space.similar(request);
    alone.push_back(us_since(begin));
    const Uuid id = write_one(space, std::get<SimilarVector>(request.query).vector);
    begin = Clock::now();
    if (i % 2 == 0) {
      space.load_index("m");  // takes it in, and nothing else
      taken_in.push_back(us_since(begin));
      begin = Clock::now();
    }
    require(space.similar(request).items.front().id == id, "a write was not found");
    if (i % 2 == 1) here.push_back(us_since(begin));
    begin = Clock::now();
    require(other.similar(request).items.front().id == id, "a write was not found elsewhere");
    there.push_back(us_since(begin));
  }
  print_line({.name = "write to searchable",
              .numbers = {{"taken_in_p10_us", quantile(taken_in, 0.1)},
                          {"taken_in_p50_us", quantile(taken_in, 0.5)},
                          {"search_p50_us", quantile(alone, 0.5)},
                          {"after_write_p50_us", quantile(here, 0.5)},
                          {"after_write_p99_us", quantile(here, 0.99)},
                          {"above_search_p50_us", quantile(here, 0.5) - quantile(alone, 0.5)},
                          {"other_handle_p50_us", quantile(there, 0.5)},
                          {"other_handle_p99_us", quantile(there, 0.99)}}});
}

/// Rows that were written one by one and are taken in together, until the tail is nearly full.
void run_many_writes(const Space& space, const std::vector<float>& queries) {
  constexpr std::size_t kRounds = 12;
  constexpr std::size_t kAtOnce = 50;
  std::vector<double> each;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      const auto vector = tests::row(queries, kDimension, i % (queries.size() / kDimension));
      write_one(space, Embedding(vector.begin(), vector.end()));
    }
    const auto begin = Clock::now();
    space.load_index("m");
    each.push_back(us_since(begin) / kAtOnce);
  }
  print_line({.name = "many writes to searchable",
              .numbers = {{"taken_in_each_p10_us", quantile(each, 0.1)},
                          {"taken_in_each_p50_us", quantile(each, 0.5)}}});
}

/// Searches through a space and by FAISS, at the least effort that reaches a recall.
class Comparison {
 public:
  Comparison(const Space& space, const std::vector<float>& rows, const std::vector<float>& queries)
      : space_(space), queries_(queries), floor_(kDimension, 16, 100) {
    const std::size_t count = rows.size() / kDimension;
    for (std::size_t i = 0; i < count; ++i) {
      number_of_.emplace(uuid_v5({}, std::to_string(i)), static_cast<long>(i));
    }
    find_true(rows, count);
    floor_.build(rows, 2);
  }

  void run(double recall, std::size_t rounds, const Folder& folder) {
    const std::size_t ef = least(recall, [this](std::size_t with) { return ours(with); });
    const std::size_t floor_ef = least(recall, [this](std::size_t with) { return floors(with); });
    Measurement measured{.bench = "similar",
                         .name = "query at recall " + std::to_string(recall).substr(0, 4),
                         .operation = "query",
                         .floor_is = "FAISS HNSW over floats, kernel for this machine; p50s",
                         .target = Target{Target::Kind::at_most, 1 / 1.8},
                         .cpu_target = {},
                         .ours = {},
                         .floor = {},
                         .also = {{"ef", static_cast<double>(ef)},
                                  {"floor_ef", static_cast<double>(floor_ef)}}};
    std::vector<double> p99;
    std::vector<double> floor_p99;
    for (std::size_t round = 0; round < rounds; ++round) {
      const Run mine = ours(ef);
      const Run its = floors(floor_ef);
      measured.ours.push_back({.wall_us = quantile(mine.us, 0.5), .cpu_us = 0});
      measured.floor.push_back({.wall_us = quantile(its.us, 0.5), .cpu_us = 0});
      p99.push_back(quantile(mine.us, 0.99));
      floor_p99.push_back(quantile(its.us, 0.99));
      if (round > 0) continue;
      measured.also.emplace_back("recall", mine.recall);
      measured.also.emplace_back("floor_recall", its.recall);
    }
    measured.also.emplace_back("p99_us", median(p99));
    measured.also.emplace_back("floor_p99_us", median(floor_p99));
    print(measured, folder);
  }

 private:
  static constexpr std::size_t kNearest = 10;
  struct Run {
    double recall = 0;
    std::vector<double> us;
  };

  void find_true(const std::vector<float>& rows, std::size_t count) {
    vectors::VectorArray floats(kDimension, Metric::l2, vectors::Form::floats);
    floats.reserve(count);
    for (std::size_t i = 0; i < count; ++i) floats.add(tests::row(rows, kDimension, i));
    vectors::SearchWorkspace work(floats);
    for (std::size_t i = 0; i < queries_.size() / kDimension; ++i) {
      work.query.prepare(tests::row(queries_, kDimension, i));
      const auto accepts_all = [](vectors::Slot) { return true; };
      for (const auto& found : vectors::scan(floats, work, kNearest, accepts_all)) {
        true_.push_back(static_cast<long>(found.slot));
      }
    }
  }

  template <class Search>
  Run run_all(Search search) const {
    Run run;
    double hits = 0;
    for (std::size_t i = 0; i < true_.size() / kNearest; ++i) {
      const auto wanted = std::span(true_).subspan(i * kNearest, kNearest);
      long found[kNearest];
      run.us.push_back(search(tests::row(queries_, kDimension, i), found));
      for (const long one : found) {
        hits += std::find(wanted.begin(), wanted.end(), one) != wanted.end() ? 1 : 0;
      }
    }
    run.recall = hits / static_cast<double>(true_.size());
    return run;
  }
  Run ours(std::size_t ef) const {
    return run_all([&](std::span<const float> query, std::span<long> found) {
      SimilarRequest request = request_for(query, "");
      request.ef = ef;
      const auto begin = Clock::now();
      const auto answer = space_.similar(request);
      const double took = us_since(begin);
      require(answer.items.size() == found.size(), "too few came");
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = number_of_.at(answer.items[i].id);
      }
      return took;
    });
  }
  Run floors(std::size_t ef) const {
    return run_all([&](std::span<const float> query, std::span<long> found) {
      const auto begin = Clock::now();
      floor_.search(query, ef, found);
      return us_since(begin);
    });
  }
  template <class With>
  static std::size_t least(double recall, With with) {
    for (std::size_t ef = kNearest; ef < 400; ef += ef < 40 ? 1 : ef / 20) {
      if (with(ef).recall >= recall) return ef;
    }
    require(false, "no ef reaches the recall");
    return 0;
  }

  const Space& space_;
  const std::vector<float>& queries_;
  FloorHnsw floor_;
  std::vector<long> true_;
  std::unordered_map<Uuid, long> number_of_;
};

void run(std::size_t count, std::size_t searches, std::size_t exact, std::int64_t ef,
         std::size_t rounds, float noise) {
  const tests::Clustered clustered{.dimension = kDimension, .noise = noise};
  const auto rows = make_vectors(clustered, count, 0);
  const auto queries = make_vectors(clustered, searches, 1);
  const Folder folder;
  const auto path = folder.file("similar.db");
  const auto known = std::make_shared<Known>(rows);
  {
    const auto store = Store::open(options_for(path, known));
    const Space space = store->create_space("bench", "bench");
    fill(space, count);
    auto begin = Clock::now();
    declare(space, ef);
    const double embedded = us_since(begin) / 1e6;
    begin = Clock::now();
    space.load_index("m");
    const auto status = space.index_status("m");
    print_line({.name = "build",
                .numbers = {{"vectors", static_cast<double>(status.vectors)},
                            {"declare_s", embedded},
                            {"load_s", us_since(begin) / 1e6},
                            {"strays", static_cast<double>(status.strays)},
                            {"bytes_per_vector", status.bytes_per_vector},
                            {"file_bytes", static_cast<double>(status.file_bytes)}}});
    // So that searches find the rows in the database, not in the log of the bulk load.
    (void)store->database().checkpoint();
    {
      Comparison comparison(space, rows, queries);
      for (const double recall : {0.96, 0.99}) comparison.run(recall, rounds, folder);
    }
    run_queries(space, queries, searches, exact, "query", "");
    run_queries(space, queries, searches, exact, "filter 50 %", "half");
    run_queries(space, queries, searches, exact, "filter 5 %", "twentieth");
    run_queries(space, queries, searches, exact, "filter 0.5 %", "rare");
    const auto another = Store::open(options_for(path, known));
    run_writes(space, another->space("bench", "bench"), queries,
               std::min<std::size_t>(300, searches));
    run_many_writes(space, queries);
  }
  const auto begin = Clock::now();
  const auto store = Store::open(options_for(path, known));
  const Space space = store->space("bench", "bench");
  const auto answer = space.similar(request_for(tests::row(queries, kDimension, 0), ""));
  print_line({.name = "open to first answer",
              .numbers = {{"ms", us_since(begin) / 1e3},
                          {"by_graph", answer.searched == SearchedIn::graph ? 1.0 : 0.0}}});
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(
      argc, argv,
      {{"vectors", 100'000}, {"searches", 1000}, {"exact", 100}, {"ef", 100}, {"rounds", 5},
       {"noise-percent", 100}});
  try {
    holdfast::bench::run(arguments["vectors"], arguments["searches"], arguments["exact"],
                         static_cast<std::int64_t>(arguments["ef"]), arguments["rounds"],
                         static_cast<float>(arguments["noise-percent"]) / 100);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_similar: %s\n", error.what());
    return 1;
  }
  return 0;
}
