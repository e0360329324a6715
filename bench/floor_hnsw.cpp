#include "floor_hnsw.h"

#include <omp.h>

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/impl/DistanceComputer.h>

#include "vectors/kernels.h"

namespace holdfast::bench {
namespace {

struct KernelDistances final : faiss::DistanceComputer {
  KernelDistances(const float* vectors, std::size_t count) : rows(vectors), dimension(count) {}
  const float* row(std::int64_t i) const { return rows + static_cast<std::size_t>(i) * dimension; }
  void set_query(const float* x) override { query = x; }
  float operator()(std::int64_t i) override {
    return vectors::kernels.squared_l2(query, row(i), dimension);
  }
  float symmetric_dis(std::int64_t i, std::int64_t j) override {
    return vectors::kernels.squared_l2(row(i), row(j), dimension);
  }
  const float* rows;
  std::size_t dimension;
  const float* query = nullptr;
};

struct KernelStorage final : faiss::IndexFlatL2 {
  using IndexFlatL2::IndexFlatL2;
  // FAISS takes what this makes, and deletes it.
  faiss::DistanceComputer* get_distance_computer() const override {
    return new KernelDistances(get_xb(), static_cast<std::size_t>(d));
  }
};

}  // namespace

struct FloorHnsw::Index {
  explicit Index(std::size_t dimension, int m)
      : storage(static_cast<std::int64_t>(dimension)), hnsw(&storage, m) {}
  KernelStorage storage;
  faiss::IndexHNSW hnsw;
};

FloorHnsw::FloorHnsw(std::size_t dimension, int m, int ef_construction)
    : index_(std::make_unique<Index>(dimension, m)) {
  index_->hnsw.hnsw.efConstruction = ef_construction;
}

FloorHnsw::~FloorHnsw() = default;

void FloorHnsw::build(const std::vector<float>& rows, int threads) {
  const auto dimension = static_cast<std::size_t>(index_->storage.d);
  omp_set_num_threads(threads);
  index_->hnsw.add(static_cast<std::int64_t>(rows.size() / dimension), rows.data());
  omp_set_num_threads(1);
}

void FloorHnsw::search(std::span<const float> query, std::size_t ef, std::span<long> found) const {
  index_->hnsw.hnsw.efSearch = static_cast<int>(ef);
  float distances[100];
  index_->hnsw.search(1, query.data(), static_cast<std::int64_t>(found.size()), distances,
                      found.data());
}

}  // namespace holdfast::bench
