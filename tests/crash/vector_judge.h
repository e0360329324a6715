#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <holdfast/space/store.h>

namespace holdfast::test {

inline constexpr std::size_t kSceneDimension = 8;
/// Of the FakeEmbedder of that name.
unsigned seed_of(const std::string& embedder);
std::string embedder_name(const Model& model);
std::vector<std::string> files_in(const std::filesystem::path& folder);

/// Compares everything that a store says of the model "m" of its space "main" with what it is made
/// of. Each problem is a text; "" means that there is none.
/// Thread safety: none.
class VectorJudge {
 public:
  explicit VectorJudge(const StoreOptions& options);

  std::string look();
  /// Texts whose vectors are stored, each behind its embedder's name and a blank.
  const std::set<std::string>& stored() const { return stored_; }
  bool is_served() const { return is_served_; }

 private:
  using Key = std::pair<std::string, Uuid>;
  using Rows = std::map<Key, std::vector<Embedding>>;

  std::string look_at_rows();
  std::string look_at_file() const;
  std::string look_at_index() const;
  std::string look_at_leftovers() const;
  std::string compare(const SimilarRequest& request, const Rows& rows) const;
  Rows rows_of(const ModelGeneration& generation) const;
  void read_texts();
  bool is_current(const Key& key, const std::vector<Embedding>& vectors,
                  const ModelGeneration& generation) const;
  std::vector<Embedding> expected(const Key& key, const ModelGeneration& generation) const;

  std::filesystem::path database_;
  std::unique_ptr<Store> store_;
  Space space_;
  ModelStatus status_;
  std::map<Key, std::vector<std::string>> texts_;  ///< of live rows, in chunks
  std::set<std::string> stored_;
  bool is_served_ = false;
};

}  // namespace holdfast::test
