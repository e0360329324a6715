#include "crash/vector_judge.h"

#include <algorithm>
#include <cmath>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>

#include "support/fake_embedder.h"
#include "vectors/vector_rows.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

double distance_between(const Embedding& a, const Embedding& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  }
  return std::sqrt(sum);
}

std::string name_of(const std::pair<std::string, Uuid>& key) {
  return key.first + " " + to_string(key.second);
}

}  // namespace

unsigned seed_of(const std::string& embedder) { return embedder == "a" ? 1 : 2; }

std::string embedder_name(const Model& model) {
  return std::get<CallerEmbedderSpec>(model.embedder).name.value();
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

VectorJudge::VectorJudge(const StoreOptions& options)
    : database_(options.database.path),
      store_(Store::open(options)),
      space_(store_->space("main", "judge")) {}

std::string VectorJudge::look() {
  const auto report = store_->verify();
  if (!report.is_clean()) return report.findings[0].check + ": " + report.findings[0].detail;
  if (!space_.models().find("m")) return "";
  read_texts();
  status_ = space_.models().status("m");
  is_served_ = status_.serving.has_value();
  if (auto wrong = look_at_rows(); !wrong.empty()) return wrong;
  if (!is_served_) return "";
  if (auto wrong = look_at_file(); !wrong.empty()) return wrong;
  if (auto wrong = look_at_index(); !wrong.empty()) return wrong;
  return look_at_leftovers();
}

void VectorJudge::read_texts() {
  const Chunking chunking = space_.models().find("m")->model.chunking;
  const auto read = [&](const std::string& kind, const Uuid& id, const std::string& text) {
    for (const auto chunk : vectors::split_into_chunks(text, chunking)) {
      texts_[{kind, id}].emplace_back(chunk);
    }
  };
  for (const Entity& row : space_.entities().list({}, {.limit = 10'000}).items) {
    read("entity", row.id.uuid, row.name);
  }
  for (const Note& row : space_.notes().list({}, {.limit = 10'000}).items) {
    read("note", row.id.uuid, row.content);
  }
}

VectorJudge::Rows VectorJudge::rows_of(const ModelGeneration& generation) const {
  Rows rows;
  const auto snapshot = store_->database().snapshot();
  vectors::each_vector(snapshot->transaction(),
                       {.space = "main",
                        .model = "m",
                        .generation = generation.generation.number,
                        .dimension = kSceneDimension},
                       [&](const vectors::StoredVector& one) {
                         rows[{std::string(one.kind), one.id}].emplace_back(one.vector.begin(),
                                                                            one.vector.end());
                         return true;
                       });
  return rows;
}

std::vector<Embedding> VectorJudge::expected(const Key& key,
                                             const ModelGeneration& generation) const {
  const FakeEmbedder fake(kSceneDimension, seed_of(embedder_name(generation.model)));
  std::vector<Embedding> made;
  if (!texts_.contains(key)) return made;
  for (const std::string& text : texts_.at(key)) made.push_back(fake.vector_of(text));
  return made;
}

bool VectorJudge::is_current(const Key& key, const std::vector<Embedding>& vectors,
                             const ModelGeneration& generation) const {
  return vectors == expected(key, generation);
}

/// One generation serves, or none yet; what is stored of no generation is nothing.
std::string VectorJudge::look_at_rows() {
  const auto snapshot = store_->database().snapshot();
  for (const std::string table :
       {"vectors", "vector_changes", "projection_versions", "projection_failures"}) {
    const std::string sql =
        "SELECT count(*) FROM " + table +
        " AS d WHERE NOT EXISTS (SELECT 1 FROM projection_generations AS g"
        " WHERE g.space = d.space AND g.name = d.name AND g.generation = d.generation)";
    auto count = snapshot->transaction().prepare(sql);
    if (!count.step() || count.get<Sequence>(0) != 0) return table + " has rows of no generation";
  }
  auto serving = snapshot->transaction().prepare(
      "SELECT count(*) FROM projection_generations WHERE state = 'serving' AND name = 'm'");
  if (!serving.step() || serving.get<Sequence>(0) != (is_served_ ? 1U : 0U)) {
    return "another number of generations serves than one";
  }
  for (const auto& generation : {status_.serving, status_.building}) {
    if (!generation) continue;
    const std::string embedder = embedder_name(generation->model);
    for (const auto& [key, vectors] : rows_of(*generation)) {
      if (!is_current(key, vectors, *generation)) continue;
      for (const std::string& text : texts_.at(key)) stored_.insert(embedder + " " + text);
    }
  }
  return "";
}

/// A file that a kill left half written must never be the one that is looked at. One that is whole,
/// and that the database has yet to name, may be there.
std::string VectorJudge::look_at_file() const {
  const auto status = space_.index_status();
  const std::set<std::string> expected = {
      "", "there is none", "it is of another database, or of another state of this one"};
  if (expected.contains(status.file_refusal)) return "";
  return "the file: " + status.file_refusal;
}

std::string VectorJudge::look_at_index() const {
  const auto verified = space_.verify_index();
  if (verified.findings_total != 0) {
    return verified.findings[0].check + ": " + verified.findings[0].detail;
  }
  const auto status = space_.index_status();
  if (status.state != IndexState::ready) {
    return "the index is " + std::string(to_string(status.state));
  }
  if (!status.file_refusal.empty()) return "the file: " + status.file_refusal;
  if (verified.vectors != status.stored || status.vectors != status.stored) {
    return "the index has " + std::to_string(status.vectors) + " of " +
           std::to_string(status.stored) + " vectors";
  }
  const Rows rows = rows_of(*status_.serving);
  const FakeEmbedder fake(kSceneDimension, seed_of(embedder_name(status_.serving->model)));
  for (const std::string text : {"person 3", "something else"}) {
    SimilarRequest request;
    request.query = SimilarVector{.vector = fake.vector_of(text)};
    for (const auto& [k, staleness] : std::initializer_list<std::pair<std::size_t, Staleness>>{
             {5, Staleness::exclude}, {1000, Staleness::flag}}) {
      request.k = k;
      request.staleness = staleness;
      if (auto wrong = compare(request, rows); !wrong.empty()) return wrong;
    }
  }
  return "";
}

/// With what comparing every stored row comes to.
std::string VectorJudge::compare(const SimilarRequest& request, const Rows& rows) const {
  struct Expected {
    double distance;
    Key key;
    bool is_stale;
  };
  std::vector<Expected> nearest;
  const Embedding& query = std::get<SimilarVector>(request.query).vector;
  for (const auto& [key, vectors] : rows) {
    if (!texts_.contains(key)) continue;  // deleted
    const bool is_stale = !is_current(key, vectors, *status_.serving);
    if (is_stale && request.staleness == Staleness::exclude) continue;
    double distance = distance_between(query, vectors.front());
    for (const auto& vector : vectors) {
      distance = std::min(distance, distance_between(query, vector));
    }
    nearest.push_back({distance, key, is_stale});
  }
  std::sort(nearest.begin(), nearest.end(), [](const Expected& a, const Expected& b) {
    return std::tie(a.distance, a.key) < std::tie(b.distance, b.key);
  });
  nearest.resize(std::min(nearest.size(), request.k));
  const auto answer = space_.similar(request);
  if (answer.items.size() != nearest.size()) {
    return std::to_string(answer.items.size()) + " answers instead of " +
           std::to_string(nearest.size());
  }
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const SimilarItem& item = answer.items[i];
    const Expected& wanted = nearest[i];
    const bool is_near = std::abs(static_cast<double>(item.distance) - wanted.distance) < 1e-4;
    if (Key(item.kind, item.id) != wanted.key || !is_near || item.is_stale != wanted.is_stale) {
      return "answer " + std::to_string(i) + " is " + item.kind + " " + to_string(item.id) +
             (item.is_stale ? " (stale)" : "") + " instead of " + name_of(wanted.key) +
             (wanted.is_stale ? " (stale)" : "");
    }
  }
  return "";
}

std::string VectorJudge::look_at_leftovers() const {
  (void)space_.compact_index();
  const auto files = files_in(database_.string() + "-vectors");
  const std::size_t generations = 1 + (status_.building ? 1 : 0);
  for (const std::string& file : files) {
    if (file.ends_with(".tmp")) return file + " is left";
  }
  if (files.empty() || files.size() > generations) {
    return std::to_string(files.size()) + " files of " + std::to_string(generations) +
           " generations";
  }
  if (!space_.index_status().is_file_usable) return "the file is not usable after compacting";
  return "";
}

}  // namespace holdfast::test
