#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/journal/space_store.h>
#include <holdfast/journal/verify.h>
#include <holdfast/space/space.h>
#include <holdfast/space/space_removal.h>
#include <holdfast/space/stats.h>
#include <holdfast/storage/database.h>
#include <holdfast/vectors/similar.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast {

struct StoreOptions {
  storage::Options database{};
  /// Time, ids, randomness and fault points; the operating system's when absent. Must outlive the
  /// store.
  core::Environment* environment = nullptr;
  /// Told of writes as they end; must outlive the store.
  Metrics* metrics = nullptr;
  /// Types of projections besides the library's own; must outlive the store. Every program that
  /// writes to a space that has one must bring it. Their tables are their own affair.
  std::vector<const journal::Projection*> projections{};
  /// Of each space's graph in memory, for traversal.
  AdjacencyOptions adjacency{};
  /// Of each model's index in memory, for similar().
  VectorIndexOptions vector_index{};
  /// The host's own embedders, for models that are declared with their names.
  Embedders embedders{};
};

/// One open database of spaces.
/// Thread safety: any thread. Opening one file several times, here or elsewhere, is safe.
class Store {
 public:
  /// Opens the database, creating it unless `options.database.create` is false. Errors are those
  /// of storage::Database::open().
  static std::unique_ptr<Store> open(const StoreOptions& options);
  /// The usual case: the file at `path`, everything else by default.
  static std::unique_ptr<Store> open(const std::filesystem::path& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Creates the space unless it exists, and answers with the handle on it. `settings` are those
  /// of a new space; one that is there keeps its own. `actor` is recorded with every write through
  /// the handle. Throws Conflict while a space of that name is being deleted.
  Space create_space(std::string_view name, std::string_view actor,
                     const SpaceSettings& settings = {});
  /// Throws NotFound when there is no such space.
  Space space(std::string_view name, std::string_view actor);
  /// Their names, in byte order.
  Page<std::string> spaces(const PageRequest& page = {});
  /// What a space is set to and holds; counts its rows. Throws NotFound.
  SpaceInfo space_info(std::string_view name);
  /// Removes the space with everything in it: rows, journal, requests. It is hidden from every
  /// call first; the rest goes in transactions of up to 1,000 rows. Stopped or killed, it goes on
  /// when called again; the counts are those of this call. Throws NotFound.
  SpaceRemoval delete_space(std::string_view name, const RemovalControl& control = {});

  StoreStats stats();
  /// Bytes on disk of one row on average, its indexes included, by kind of row, and of one event
  /// as "event". Reads the whole file.
  std::map<std::string, double> row_bytes();

  /// Compares the journal with the tables, row by row, in one snapshot, after the engine's own
  /// check of the file. See journal::verify().
  journal::VerifyReport verify(
      const std::function<void(const journal::VerifyProgress&)>& progress = {});

  storage::Database& database();
  /// What time, ids and randomness come from.
  core::Environment& environment();

 private:
  class Core;
  explicit Store(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace holdfast
