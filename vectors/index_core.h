#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <holdfast/vectors/vector_index.h>

#include "fair_mutex.h"
#include "filter_cache.h"
#include "index_file.h"
#include "index_judge.h"
#include "index_search.h"
#include "index_worker.h"
#include "live_index.h"
#include "serving.h"

namespace holdfast::vectors {

/// What the indexes of one database share.
struct VectorIndex::Site {
  Site(storage::Database& database_below, core::Environment& surroundings,
       const journal::Registry& known, const VectorIndexOptions& given)
      : database(database_below),
        environment(surroundings),
        registry(known),
        options(given),
        worker(given.background) {}

  storage::Database& database;
  core::Environment& environment;
  const journal::Registry& registry;
  VectorIndexOptions options;
  std::optional<SegmentFolder> folder{};  ///< none: no files are kept
  bool writes_files = true;  ///< false where the database is read-only: they are read all the same
  IndexWorker worker;

  std::size_t threads() const;
};

/// One model's index. Locks are taken in this order: work_, taking_in_, index_, a filter's, notes_.
class VectorIndex::Core final : public IndexWork,
                                public std::enable_shared_from_this<VectorIndex::Core> {
 public:
  Core(std::shared_ptr<Site> site, std::string space, std::string model);

  SimilarAnswer search(const IndexQuery& query, const Matcher& matcher);
  IndexStatus status();
  IndexVerification verify(const GoOn& go_on);
  IndexCompaction compact();
  void load();
  void prepare(const journal::Generation& generation, const GoOn& go_on);
  void unload();
  void wait();
  void work(const GoOn& go_on) noexcept override;

 private:
  /// An index and what it is of.
  struct Loaded {
    std::unique_ptr<LiveIndex> live;
    std::shared_ptr<const Serving> serving;
    IndexParameters parameters;
    std::string options;  ///< of the model, as `parameters` were read from them
    std::uint64_t epoch = 0;
  };
  /// Holds work_. A seam within the work may search; what that would have done is being done.
  class Working {
   public:
    explicit Working(Core& core) : Working(core, std::unique_lock(core.work_)) {}
    Working(Core& core, std::try_to_lock_t try_only)
        : Working(core, std::unique_lock(core.work_, try_only)) {}
    ~Working() {
      if (lock_) core_.worker_ = std::thread::id();
    }
    explicit operator bool() const { return lock_.owns_lock(); }
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

   private:
    Working(Core& core, std::unique_lock<std::mutex> lock) : core_(core), lock_(std::move(lock)) {
      if (lock_) core_.worker_ = std::this_thread::get_id();
    }
    Core& core_;
    std::unique_lock<std::mutex> lock_;
  };
  bool is_working_here() const { return worker_.load() == std::this_thread::get_id(); }

  /// A query with what was made of it before any transaction.
  struct Asked {
    const IndexQuery& query;
    const Matcher& matcher;
    std::optional<Embedding> embedded{};       ///< of a text
    std::shared_ptr<const Serving> embedded_by{};
  };

  // index_core.cpp: searching, and taking in what has changed.
  std::optional<SimilarAnswer> attempt(Asked& asked);
  std::optional<SimilarAnswer> answer(Asked& asked, storage::Transaction& transaction,
                                      std::shared_lock<FairMutex>& lock, KnownFilter* filter,
                                      std::unique_lock<std::mutex>& filter_lock);
  void take_in_if_moved();
  void take_in_all();
  bool take_in_some(std::uint64_t commits);
  void drop_index(const std::string& why);
  std::shared_ptr<const Serving> serving_at(storage::Transaction& transaction,
                                            const ServingState& state);
  std::shared_ptr<const Serving> describe(const journal::Generation& generation) const;
  void embed(Asked& asked);

  // index_status.cpp and index_verify.cpp
  void describe_index(IndexStatus& status, const ServingState& state,
                      storage::Transaction& transaction) const;
  void describe_file(IndexStatus& status, const SegmentIdentity& identity) const;
  void compare_rows(const LiveIndex& live, const Serving& serving,
                    storage::Transaction& transaction, const GoOn& go_on,
                    IndexVerification& result) const;
  void search_each(const Segment& segment, IndexVerification& result) const;

  // index_build.cpp: making an index, and keeping it in shape.
  void do_work(const GoOn& go_on);
  void load_at_once() noexcept;
  bool may_load_at_once() const;
  bool is_file_doubted() const;
  bool has_work(const ServingState& state) const;
  bool needs_fold(const LiveIndex& live) const;
  bool needs_other_form(const Loaded& loaded) const;
  struct Target {
    std::shared_ptr<const Serving> serving;
    IndexParameters parameters;
    std::string options;
  };
  std::optional<Target> find_target();
  void build(const Target& target, const GoOn& go_on, bool may_load);
  std::shared_ptr<const Segment> load_file(const Target& target);
  std::shared_ptr<const Segment> check_file(LoadedSegment loaded, const Target& target,
                                            std::uint64_t last, std::string& refusal) const;
  std::shared_ptr<const Segment> make_segment(const Target& target, const GoOn& go_on);
  void fold_tail(const Target& target, const GoOn& go_on);
  void swap_in(std::shared_ptr<const Segment> segment, const Target& target);
  void keep_file(const Target& target, const Segment& segment);
  bool is_file_as_new(const SegmentIdentity& identity, const Segment& segment) const;
  void write_file(const Target& target, const Segment& segment);
  void name_file(const Target& target, const Uuid& file, const Segment& segment) const;
  bool may_try() const;
  void note_failure(const std::string& what);

  std::shared_ptr<Site> site_;
  const std::string space_;
  const std::string model_;

  std::mutex work_;       ///< building, folding, compacting: one at a time
  std::atomic<std::thread::id> worker_{};  ///< who holds it
  std::mutex taking_in_;  ///< whoever changes loaded_, or its cursor
  mutable FairMutex index_;
  Loaded loaded_;
  std::uint64_t last_epoch_ = 0;
  std::atomic<std::uint64_t> commits_{0};  ///< whose changes were taken in
  FilterCache filters_;

  mutable std::mutex notes_;  ///< of the following
  std::shared_ptr<const Serving> serving_;
  bool is_building_ = false;
  bool is_wanted_ = false;
  bool may_load_at_once_ = true;  ///< the file was not looked at since there is no index
  std::shared_ptr<const Serving> too_large_;  ///< for which an index is
  std::string last_error_;
  std::string file_error_;  ///< of writing it, until it succeeds
  std::string file_refusal_;  ///< of the last one that was loaded or written
  bool is_file_doubted_ = false;  ///< until it is written anew
  unsigned failures_ = 0;
  std::chrono::microseconds try_again_at_{0};
  std::optional<std::chrono::microseconds> written_at_;
  std::atomic<std::uint64_t> building_done_{0};
};

}  // namespace holdfast::vectors
