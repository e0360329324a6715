#pragma once

#include <memory>
#include <string>
#include <vector>

#include <holdfast/journal/space_store.h>
#include <holdfast/journal/verify.h>
#include <holdfast/space/space.h>
#include <holdfast/storage/database.h>

namespace holdfast {

struct StoreOptions {
  storage::Options database;
  /// Time, ids, randomness and fault points; the operating system's when absent. Must outlive the
  /// store.
  core::Environment* environment = nullptr;
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

  /// Creates the space unless it exists, and answers with the handle on it. `actor` is recorded
  /// with every write through the handle.
  Space create_space(std::string_view name, std::string_view actor);
  /// Throws NotFound when there is no such space.
  Space space(std::string_view name, std::string_view actor);
  std::vector<std::string> spaces();

  /// Compares the journal with the tables, row by row, in one snapshot, after the engine's own
  /// check of the file. See journal::verify().
  journal::VerifyReport verify(
      const std::function<void(const journal::VerifyProgress&)>& progress = {});

  storage::Database& database();

 private:
  class Core;
  explicit Store(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace holdfast
