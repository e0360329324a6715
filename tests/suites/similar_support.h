#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/vectors/embedder.h>

#include "suites/support.h"

namespace holdfast::test {

/// Makes of a text that is numbers the vector of these; of any other, zeros.
class NumbersEmbedder final : public Embedder {
 public:
  explicit NumbersEmbedder(std::size_t dimension) : dimension_(dimension) {}
  std::vector<Embedding> embed(std::span<const std::string> texts) override;
  /// Called with each batch before it is answered.
  std::function<void()> before{};

 private:
  std::size_t dimension_;
};
std::string numbers(const Embedding& vector);

/// A store with a model "m" of vectors that are written in the names of entities and the contents
/// of notes. Indexes are made by whoever searches, on one thread.
class SimilarStore {
 public:
  struct Options {
    std::int64_t dimension = 4;
    Metric metric = Metric::l2;
    IndexParameters parameters{};
    VectorIndexOptions index{.background = false};
    bool in_real_time = false;  ///< by the system's clock
  };
  explicit SimilarStore(Options options);
  /// Small sets, which are scanned as they are.
  SimilarStore() : SimilarStore(Options{}) {}
  /// Everything in the graph, by its codes, and a tail of up to 16.
  static Options in_graph();

  void reopen();
  std::unique_ptr<Store> open_another() const;
  StoreOptions store_options() const;

  Entity add(const Embedding& vector, const std::string& kind = "person",
             std::vector<std::string> tags = {}, const std::string& properties = "{}");
  Note add_note(const Embedding& vector);
  void set(EntityId id, const Embedding& vector);
  void remove(EntityId id);
  /// Brings the vectors up to the journal's end.
  void embed() const { (void)space->models().embed("m"); }
  /// Adds, and embeds.
  Entity embedded(const Embedding& vector);

  SimilarAnswer similar(const SimilarRequest& request) const { return space->similar(request); }
  /// The nearest by a vector.
  SimilarAnswer nearest(const Embedding& to, std::size_t k = 10) const;
  std::vector<Uuid> ids_near(const Embedding& to, std::size_t k = 10) const;
  /// The `nth` time that `seam` is passed, `act` runs once.
  void at(std::string_view seam, const std::function<void()>& act, int nth = 1);

  TestEnvironment environment;
  std::shared_ptr<NumbersEmbedder> embedder;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;

 private:
  Options options_;
  std::map<std::string, std::pair<int, std::function<void()>>, std::less<>> seams_;
};

/// Components of up to four digits between -1 and 1, so that texts spell them exactly.
Embedding random_vector(std::mt19937_64& random, std::size_t dimension);
/// At that distance from the origin.
inline Embedding along(int distance) { return {static_cast<float>(distance), 0, 0, 0}; }
SimilarRequest request_near(const Embedding& vector, std::size_t k = 10);
std::vector<Uuid> ids_of(const SimilarAnswer& answer);

}  // namespace holdfast::test
