#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/space/store.h>

#include "floor.h"

namespace holdfast::bench {

/// The same sequence of guarded replaces for the store and for the floor, each on a database of its
/// own that began as a copy of the other.
class Replacing {
 public:
  explicit Replacing(std::vector<Entity> rows) : rows_(std::move(rows)) {}

  /// Makes up the next `count` changes, before the clock runs.
  void prepare(std::size_t count);
  /// Makes the prepared changes through the store.
  void run(const Space& space);
  /// Makes them as plans of up to `steps` steps each.
  void run_in_plans(const Space& space, std::size_t steps);

 private:
  struct Step {
    std::size_t row = 0;
    JsonObject properties;
  };
  std::vector<Entity> rows_;
  std::vector<Step> steps_;
  std::size_t made_ = 0;
};

class FloorReplacing {
 public:
  FloorReplacing(std::vector<Entity> rows, const std::filesystem::path& database,
                 storage::Durability durability);
  void prepare(std::size_t count);
  /// Makes all prepared changes, `batch` in a transaction.
  void run(std::size_t batch) {
    floor_replace(floor_.get(), changes_.data(), changes_.size(), batch);
  }

 private:
  struct Close {
    void operator()(FloorReplacer* floor) const { floor_replacer_close(floor); }
  };
  struct Texts {
    std::string tags;
    std::string body;
    std::string request_id;
    std::string properties;
  };
  std::vector<Entity> rows_;
  std::unique_ptr<FloorReplacer, Close> floor_;
  std::vector<Texts> texts_;
  std::vector<FloorChange> changes_;
  std::size_t made_ = 0;
};

/// Throws unless both databases hold `events` events whose bodies are as many bytes in sum.
void require_same_events(const std::filesystem::path& ours, const std::filesystem::path& floor,
                         std::size_t events);

}  // namespace holdfast::bench
