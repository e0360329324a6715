#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/space/store.h>

namespace holdfast::test {

/// A folder of its own, removed with everything in it at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Time that stands still, ids and randomness from a seed, fault points to arm.
struct TestEnvironment {
  explicit TestEnvironment(std::uint64_t seed = 1);
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;

  core::ManualClock clock;  ///< starts at 2026-01-01T00:00:00Z
  std::unique_ptr<core::IdSource> ids;
  core::Random random;
  core::Faults faults;
  core::Environment environment;
};

/// The backend that the suites run on, chosen by HOLDFAST_TEST_BACKEND ("sqlite" by default): what
/// a suite needs of it is a fresh, empty database that can be opened again.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual storage::Options options() const = 0;
};
std::unique_ptr<Backend> backend_under_test();

/// A fresh store with one space, "main", and an environment that the test controls.
class TestStore {
 public:
  explicit TestStore(std::uint64_t seed = 1,
                     std::vector<const journal::Projection*> projections = {},
                     Embedders embedders = {});

  /// Closes the store and opens the same database again.
  void reopen();
  /// A second, independent handle on the same database, sharing the test's environment.
  std::unique_ptr<Store> open_another();
  StoreOptions options();

  Entity add_entity(const std::string& name, const std::string& kind = "person");
  Edge add_edge(EntityId source, const std::string& relation, EntityId target);
  Note add_note(const std::string& content, std::optional<EntityId> about = {});

  TestEnvironment environment;
  std::vector<const journal::Projection*> projections;  ///< of the test's own
  Embedders embedders;                                  ///< the same
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;
};

/// What was read, as a writer names it.
template <class Row>
Expected as_read(const Row& row) {
  return {.revision = row.revision, .deleted_at = row.deleted_at};
}

}  // namespace holdfast::test
