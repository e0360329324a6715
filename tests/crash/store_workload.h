#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <holdfast/space/store.h>

#include "support/crash_vfs.h"
#include "support/fixture.h"

namespace holdfast::test {

/// What the callers of a store were told, and therefore what a later reader must find.
struct Told {
  /// Sequence and request id of every acknowledged write of the space; an empty id for the
  /// space's own creation.
  std::map<Sequence, std::string> acknowledged;
  std::set<std::string> unknown;  ///< request ids answered with OutcomeUnknown
  std::set<std::string> errors;   ///< codes of all exceptions that came out
  int refused = 0;                ///< writes that ended in any other exception
  bool is_finished = false;       ///< no call failed
  /// Request ids of plans that were tried, and how many events each has when it landed.
  std::map<std::string, std::size_t> plans;

  /// Runs one write and notes its answer. False when it threw.
  template <class Write>
  bool note(Write write) {
    try {
      acknowledge(write());
      return true;
    } catch (const OutcomeUnknown& error) {
      unknown.insert(error.request_id());
      errors.insert(error.code());
    } catch (const Error& error) {
      ++refused;
      errors.insert(error.code());
    }
    return false;
  }
  template <class Row>
  void acknowledge(const WriteResult<Row>& result) {
    if (result.applied()) acknowledged[result.seq] = result.request_id;
  }
  void acknowledge(const PlanResult& result);
  void add(const Told& other);
};

struct WorkloadOptions {
  storage::Durability durability = storage::Durability::full;
  /// Small, so that the writer checkpoints between two commits of the workload.
  std::uint64_t checkpoint_pages = 4000;
  bool stops_at_error = true;  ///< false: goes on with the next write
  /// Half-way, closes the store and opens it again, which copies the log and empties it.
  bool reopens = false;
  bool only_creates = false;  ///< ends with a store, its space and one entity
  std::uint64_t seed = 1;     ///< of the request ids: another one for each process of a history
};

/// Options for a store whose database lies on the disk, and its lock file in `locks`.
StoreOptions store_on(const CrashDisk& disk, const std::filesystem::path& locks,
                      TestEnvironment& environment);

/// Writes of every kind through the real Store; three of them ride one commit. The same writes with
/// the same ids in every run.
class Workload {
 public:
  Workload(CrashDisk& disk, const std::filesystem::path& locks, const WorkloadOptions& options);

  /// Stops at the first error unless the options say otherwise.
  const Told& run();
  /// Opens what an earlier process left and writes one more row.
  const Told& resume(const Told& earlier);
  /// Writes two more rows, after an error perhaps; is_finished says whether both worked.
  const Told& write_more();
  const Told& told() const { return told_; }

  /// Turns the library's log off: what a broken disk earns would bury the test's own output.
  static void silence_warnings();

 private:
  bool open();
  bool prepare();
  bool write_rows();
  bool write_batch();
  bool change_rows();
  bool apply_plan();
  template <class Write>
  bool step(Write write) {
    return told_.note(write) || !options_.stops_at_error;
  }

  TestEnvironment environment_;
  WorkloadOptions options_;
  StoreOptions store_options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Space> space_;
  Told told_;
};

/// Opens the image as the next process would, and compares it with what was told. Empty when the
/// file is sound, rows and journal agree, every event was acknowledged or of unknown outcome,
/// and (but for Durability::normal after a power cut) no acknowledged write is missing.
std::string judge(const DiskImage& image, const Told& told, const std::filesystem::path& locks,
                  bool may_lose_commits = false, const DiskOptions& options = {});
/// The same for a disk that goes on in use; its store must be closed.
std::string judge(CrashDisk& disk, const Told& told, const std::filesystem::path& locks,
                  bool may_lose_commits = false);

}  // namespace holdfast::test
