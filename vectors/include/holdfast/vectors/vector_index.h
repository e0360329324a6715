#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <holdfast/core/environment.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/registry.h>
#include <holdfast/storage/database.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/similar.h>

namespace holdfast::vectors {

/// Which rows a search may answer with. How a row stands is asked of the transaction, so that an
/// answer is of one instant.
/// Thread safety: any number of calls at once.
class Matcher {
 public:
  virtual ~Matcher() = default;

  /// Equal for matchers that match alike, and for no others; empty: every row matches. What matches
  /// changes only with the row itself.
  virtual const std::string& key() const = 0;
  virtual bool matches(storage::Transaction& transaction, std::string_view kind,
                       const Uuid& id) const = 0;
  using Visit = std::function<bool(std::string_view kind, const Uuid& id)>;
  /// Every row that matches, whether it has vectors or not; a visit that answers false is the last.
  virtual void for_each(storage::Transaction& transaction, const Visit& visit) const = 0;
  /// What else must be so of a row that is answered, and may change without it, as time passes.
  virtual bool is_shown(storage::Transaction& transaction, std::string_view kind,
                        const Uuid& id) const = 0;
};

/// What others are near to.
using QueryText = std::string;
struct QueryVector {
  Embedding vector;
  /// Of the model: the one that made it. A search of another is refused.
  std::optional<std::uint64_t> generation{};
};
struct QueryRow {
  std::string kind;
  Uuid id;
};

struct IndexQuery {
  std::variant<QueryText, QueryVector, QueryRow> to;
  std::size_t k = 10;
  std::optional<std::size_t> ef{};  ///< absent: the index's parameters say
  Staleness staleness = Staleness::exclude;
  bool is_exact = false;  ///< by the vectors as they are stored, all of them
};

/// One model's vectors in one process, for searching: an index in memory that follows the rows of
/// the generation that serves, or the rows themselves while there is none. An answer is exactly as
/// of one sequence of the journal, never older than the call, and has min(k, matching) rows.
/// Nothing happens when vectors are written; a problem of the index is never one of the rows'.
/// Thread safety: any thread. Searches run side by side, and beside building and folding.
class VectorIndex {
 public:
  struct Site;
  VectorIndex(std::shared_ptr<Site> site, std::string space, std::string model);
  ~VectorIndex();
  VectorIndex(const VectorIndex&) = delete;
  VectorIndex& operator=(const VectorIndex&) = delete;

  /// Throws NotFound when there is no such space, model, or row to compare with, Unavailable while
  /// no generation serves, InvalidArgument for what breaks a limit, Conflict for a vector that
  /// another generation made, and what the embedder throws for a text.
  SimilarAnswer search(const IndexQuery& query, const Matcher& matcher);
  IndexStatus status();
  /// Compares the index, and the file beside the database, with the rows of one instant; makes the
  /// index first when there is none. `go_on` is called now and then; false stops it.
  IndexVerification verify(const std::function<bool()>& go_on = {});
  /// Folds the tail in, drops tombstones, writes the file, and removes files that belong to no
  /// index any more. What it says of the database's bytes is left to the caller.
  IndexCompaction compact();
  /// Makes the index, or loads it, and brings it up to date: what the first search would leave to
  /// the background.
  void load();
  /// Makes the file of a generation that does not serve yet, so that every process can load its
  /// index at once when it does. For journal::RebuildOptions::prepare.
  void prepare(const journal::Generation& generation, const std::function<bool()>& go_on);
  /// Frees it; the next search makes it again.
  void unload();
  /// Returns when nothing is left to be done in the background.
  void wait();

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

/// The indexes of one database, by space and model, and the thread that works for them.
/// Thread safety: any thread.
class VectorIndexes {
 public:
  /// What it refers to must outlive it.
  VectorIndexes(storage::Database& database, core::Environment& environment,
                const journal::Registry& registry, const VectorIndexOptions& options);
  /// Waits for the piece of work that is being done.
  ~VectorIndexes();
  VectorIndexes(const VectorIndexes&) = delete;
  VectorIndexes& operator=(const VectorIndexes&) = delete;

  /// Lives as long as this.
  VectorIndex& of(const std::string& space, const std::string& model);

 private:
  std::shared_ptr<VectorIndex::Site> site_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, VectorIndex> by_model_;
};

}  // namespace holdfast::vectors
