#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>
#include <holdfast/vectors/model.h>

namespace holdfast {

/// Most rows of one answer, and most candidates that one search of a graph keeps.
inline constexpr std::size_t kSimilarMax = 1000;
inline constexpr std::size_t kSimilarEfMax = 10'000;

/// What becomes of rows whose text has changed since their vectors were made.
enum class Staleness {
  exclude,  ///< they are left out, and counted
  flag,     ///< they are answered like others, and say so
  only,     ///< nothing else is answered
};
std::string_view to_string(Staleness staleness);
/// Throws InvalidArgument(field) for any other word.
Staleness parse_staleness(std::string_view field, std::string_view text);

/// What an answer was found in.
enum class SearchedIn {
  graph,  ///< the index's graph: an approximation
  exact,  ///< every vector that may be answered, in memory
  rows,   ///< every vector that may be answered, in the database
};
std::string_view to_string(SearchedIn searched);

struct SimilarItem {
  std::string kind;  ///< of the row: "entity", "note", ...
  Uuid id;
  std::uint32_t chunk = 0;  ///< of its text: the nearest one
  float distance = 0;       ///< by the model's metric; smaller is nearer
  bool is_stale = false;    ///< the row's text has changed since
  bool operator==(const SimilarItem&) const = default;
};

/// The nearest rows at one instant, nearest first; ties by kind, id and chunk.
struct SimilarAnswer {
  std::string model;
  std::uint64_t generation = 0;  ///< of the model: whose vectors were compared
  Sequence seq = 0;              ///< of the journal: the answer is as of it
  SearchedIn searched = SearchedIn::rows;
  std::vector<SimilarItem> items{};  ///< each row once
  /// Rows that would have been among the items, but for being stale.
  std::uint64_t stale_excluded = 0;
  /// Changes of rows whose vectors are yet to be made or found still good: until then the rows are
  /// missing, or stale. 0 where vectors come with the writes: nobody is to make any.
  std::uint64_t pending = 0;
  /// Of a query by row: that row's own text has changed since.
  bool is_query_stale = false;
};

/// Of indexes in memory.
struct VectorIndexOptions {
  bool enabled = true;
  /// Of one model's index; what needs more is answered from the database's rows. While an index is
  /// made anew, or its tail is folded in, up to twice as much is in use.
  std::uint64_t bytes_max = std::uint64_t{4} << 30;
  /// Threads that build and fold; searches have their own. 0: one for each processor.
  std::size_t threads = 0;
  /// False: whoever searches builds and folds, on one thread, so that one sequence of calls always
  /// makes the same index. For tests.
  bool background = true;
  /// Keeps a copy of each index in a file beside the database, so that it need not be built anew.
  bool snapshots = true;
  /// The tail is folded in from this many vectors on, plus a hundredth of the segment.
  std::size_t tail_max = 1000;
};

enum class IndexState {
  off,        ///< by VectorIndexOptions::enabled
  none,       ///< nobody has searched yet
  building,   ///< meanwhile the rows are searched
  ready,
  too_large,  ///< VectorIndexOptions::bytes_max is not enough; the rows are searched
};
std::string_view to_string(IndexState state);

/// A model's index as this process has it, and the file beside the database.
struct IndexStatus {
  std::string model;
  std::uint64_t generation = 0;    ///< that serves; 0: none does yet
  IndexParameters parameters{};    ///< as the database has them
  IndexState state = IndexState::none;
  std::uint64_t stored = 0;        ///< vectors in the database
  std::uint64_t vectors = 0;       ///< live ones in the index
  std::uint64_t tail = 0;          ///< of these, those that wait to be folded in
  std::uint64_t tombstones = 0;    ///< vectors that are nobody's any more, and still there
  std::uint64_t strays = 0;        ///< looked at one by one, since the graph does not find them
  std::uint64_t bytes = 0;         ///< of memory
  double bytes_per_vector = 0;
  std::uint64_t cursor = 0;        ///< the last change of vectors that was taken in
  std::uint64_t behind = 0;        ///< changes not taken in yet; a search takes them in
  std::uint64_t building_done = 0; ///< vectors that are in the graph being built
  std::string file{};              ///< its path; empty where none is kept
  bool is_file_usable = false;
  std::uint64_t file_cursor = 0;   ///< the change that it is as of
  std::uint64_t file_bytes = 0;
  std::string file_refusal{};      ///< why it is not usable: for people
  std::string last_error{};        ///< of work in the background, until it succeeds
};

/// Something that is wrong with an index.
struct IndexFinding {
  std::string check;   ///< stable name of the rule that is broken
  std::string detail;  ///< ids and numbers
};

struct IndexVerification {
  std::uint64_t generation = 0;
  Sequence seq = 0;
  std::uint64_t vectors = 0;        ///< compared with their rows
  std::uint64_t searched = 0;       ///< searches for vectors by themselves
  std::uint64_t findings_total = 0;
  std::vector<IndexFinding> findings{};  ///< the first 1,000
};

struct IndexCompaction {
  std::uint64_t vectors = 0;
  std::uint64_t dropped = 0;         ///< tombstones that are gone
  std::uint64_t files_removed = 0;   ///< that belonged to no index any more
  std::uint64_t index_bytes_before = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t database_bytes_before = 0;
  std::uint64_t database_bytes = 0;
};

}  // namespace holdfast
