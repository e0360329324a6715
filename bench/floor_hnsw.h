#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::bench {

/// FAISS's own HNSW over floats, by Euclidean distance, with a distance kernel for this machine
/// instead of FAISS's: Debian builds that for any x86-64.
class FloorHnsw {
 public:
  FloorHnsw(std::size_t dimension, int m, int ef_construction);
  ~FloorHnsw();
  FloorHnsw(const FloorHnsw&) = delete;
  FloorHnsw& operator=(const FloorHnsw&) = delete;

  /// Copies the rows.
  void build(const std::vector<float>& rows, int threads);
  void search(std::span<const float> query, std::size_t ef, std::span<long> found) const;

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace holdfast::bench
