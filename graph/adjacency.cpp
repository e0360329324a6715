#include <holdfast/graph/adjacency.h>

#include <atomic>
#include <shared_mutex>

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/space_contents.h>

#include "entity_table.h"
#include "loaded_graph.h"
#include "memory_graph.h"
#include "search.h"

namespace holdfast {

std::string_view to_string(AdjacencyState state) {
  switch (state) {
    case AdjacencyState::off: return "off";
    case AdjacencyState::not_loaded: return "not_loaded";
    case AdjacencyState::loaded: return "loaded";
    case AdjacencyState::too_large: return "too_large";
  }
  return "unknown";
}

namespace graph {
namespace {

/// What a search needs beside the arrays.
struct Workspace {
  Visited visited;
  NodeQueue queue;
};

/// Kept for the searches to come. Thread safety: any thread.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    constexpr std::size_t kIdleMax = 8;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleMax) idle_.push_back(std::move(workspace));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

void check_starts(std::span<const EntityId> starts) {
  if (!starts.empty() && starts.size() <= core::kTraversalStartsMax) return;
  throw InvalidArgument("starts", std::to_string(starts.size()),
                        "be 1 to " + std::to_string(core::kTraversalStartsMax) + " entities");
}

std::uint64_t edges_seen(const SearchExtent& answer) { return answer.edges_seen; }
std::uint64_t edges_seen(const std::vector<ReachCount>& answers) {
  std::uint64_t sum = 0;
  for (const ReachCount& answer : answers) sum += answer.edges_seen;
  return sum;
}

/// An answer from memory, before the search.
template <class Answer>
Answer answer_as_of(Sequence seq) {
  Answer answer;
  answer.seq = seq;
  answer.answered_by = GraphSource::memory;
  return answer;
}

std::vector<ReachCount> count_each(const MemoryGraph& graph, const std::vector<Node>& numbers,
                                   const TraversalOptions& options, Workspace& workspace,
                                   Sequence seq) {
  const auto is_there = [&](std::size_t i) {
    return i < numbers.size() && numbers[i] != kNoNumber;
  };
  std::vector<ReachCount> counts;
  counts.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_there(i + kSoon)) graph.expect_soon(numbers[i + kSoon]);
    if (is_there(i + kNext)) graph.expect_next(numbers[i + kNext]);
    ReachCount& count = counts.emplace_back(answer_as_of<ReachCount>(seq));
    if (numbers[i] == kNoNumber) continue;
    count_in(graph, numbers[i], options, workspace.visited, workspace.queue, count);
  }
  return counts;
}

}  // namespace

class Adjacency::Core {
 public:
  Core(storage::Database& database, core::Environment& environment, std::string space,
       const AdjacencyOptions& options)
      : feed_{.database = database, .environment = environment, .space = std::move(space)},
        options_(options) {}

  const std::string& space() const { return feed_.space; }

  /// Answers from memory when it may and can, else from SQL. `from_memory` gets the graph, the
  /// numbers of the starts (kNoNumber for one that has no edges), a workspace and the sequence.
  template <class FromMemory, class FromSql>
  auto answer(std::span<const EntityId> starts, const TraversalOptions& options,
              const FromMemory& from_memory, const FromSql& from_sql) {
    if (const auto lock = fresh(options.source)) {
      if (const auto numbers = numbers_of(starts)) {
        auto workspace = workspaces_.take();
        const MemoryGraph graph(loaded_->arrays(), options);
        auto answer = from_memory(graph, *numbers, *workspace, loaded_->seq());
        workspaces_.give_back(std::move(workspace));
        return answer;
      }
    }
    const auto snapshot = feed_.database.snapshot();
    auto answer = from_sql(snapshot->transaction());
    looked_at(edges_seen(answer), snapshot->transaction());
    return answer;
  }

  AdjacencyStatus status() const;
  void unload();

 private:
  std::shared_lock<std::shared_mutex> fresh(GraphSource source);
  bool is_fresh(std::uint64_t commits) const;
  bool should_load(GraphSource source) const;
  bool load(GraphSource source);
  void bring_up_to_date();
  void looked_at(std::uint64_t edges, storage::Transaction& transaction);
  std::optional<std::vector<Node>> numbers_of(std::span<const EntityId> starts) const;

  journal::Feed feed_;
  AdjacencyOptions options_;
  Workspaces workspaces_;

  mutable std::shared_mutex mutex_;  ///< of the following
  std::unique_ptr<LoadedGraph> loaded_;
  bool is_too_large_ = false;

  std::mutex loading_;
  std::atomic<std::uint64_t> looked_at_{0};  ///< edges, by SQL, since it was last unloaded
  std::atomic<std::uint64_t> count_at_{0};   ///< when it is next compared with the space's rows
  std::atomic<bool> is_worth_loading_{false};
};

/// Holds the lock under which the graph may be read; without it, SQL must answer.
std::shared_lock<std::shared_mutex> Adjacency::Core::fresh(GraphSource source) {
  if (!options_.enabled || source == GraphSource::sql) return {};
  bool is_brought = false;  // since the call began; what comes later is only newer
  for (;;) {
    // Before the journal is read, or a commit between the two would not be noticed.
    const std::uint64_t commits = feed_.database.commits();
    bool is_loaded = false;
    {
      std::shared_lock lock(mutex_);
      if (loaded_ && (is_brought || is_fresh(commits))) return lock;
      if (!loaded_ && (is_too_large_ || !should_load(source))) return {};
      is_loaded = loaded_ != nullptr;
    }
    if (is_loaded) {
      bring_up_to_date();
    } else if (!load(source)) {
      return {};
    }
    is_brought = true;
  }
}

bool Adjacency::Core::is_fresh(std::uint64_t commits) const {
  // A writer that was killed behind its commit has not counted it, so each second is looked again.
  constexpr std::chrono::seconds kLookAgain{1};
  return commits != 0 && commits == loaded_->commits() &&
         feed_.environment.clock.elapsed() - loaded_->checked_at() < kLookAgain;
}

bool Adjacency::Core::should_load(GraphSource source) const {
  return source == GraphSource::memory || is_worth_loading_.load();
}

/// False: another thread is at it, and this one need not wait.
bool Adjacency::Core::load(GraphSource source) {
  std::unique_lock loading(loading_, std::defer_lock);
  if (source == GraphSource::memory) {
    loading.lock();
  } else if (!loading.try_lock()) {
    return false;
  }
  bool is_loaded = false;
  {
    const std::shared_lock lock(mutex_);
    is_loaded = loaded_ != nullptr;
  }
  if (is_loaded) {
    // By another thread, perhaps from before this call.
    loading.unlock();
    bring_up_to_date();
    return true;
  }
  auto fresh = LoadedGraph::load(feed_, options_.bytes_max);
  const std::unique_lock lock(mutex_);
  is_too_large_ = fresh == nullptr;
  loaded_ = std::move(fresh);
  return true;
}

void Adjacency::Core::bring_up_to_date() {
  const std::uint64_t commits = feed_.database.commits();
  const std::unique_lock lock(mutex_);
  if (!loaded_ || is_fresh(commits)) return;
  try {
    if (!loaded_->catch_up(feed_, commits)) {
      is_worth_loading_ = true;
      loaded_.reset();
    } else if (loaded_->arrays().bytes() > options_.bytes_max) {
      is_too_large_ = true;
      loaded_.reset();
    }
  } catch (...) {
    // It may be half taken in.
    loaded_.reset();
    throw;
  }
}

void Adjacency::Core::looked_at(std::uint64_t edges, storage::Transaction& transaction) {
  constexpr std::uint64_t kEdgesMin = 10'000;
  const std::uint64_t sum = looked_at_.fetch_add(edges) + edges;
  if (sum < std::max(kEdgesMin, count_at_.load())) return;
  const std::uint64_t rows = journal::counts_of(transaction, feed_.space).rows;
  if (sum >= rows) is_worth_loading_ = true;
  count_at_ = std::max(rows, sum + kEdgesMin);
}

/// Nothing when the arrays cannot tell whether a start is there.
std::optional<std::vector<Node>> Adjacency::Core::numbers_of(
    std::span<const EntityId> starts) const {
  const GraphArrays& arrays = loaded_->arrays();
  std::vector<Node> numbers;
  numbers.reserve(starts.size());
  std::unique_ptr<storage::Snapshot> snapshot;
  for (const EntityId start : starts) {
    const Node node = arrays.find(start);
    numbers.push_back(node);
    // Both ends of a live edge are live.
    if (node != kNoNumber && arrays.has_edges(node)) continue;
    if (!snapshot) {
      snapshot = feed_.database.snapshot();
      const Sequence seq = journal::tail(snapshot->transaction(), feed_.space).seq;
      if (seq != loaded_->seq()) return std::nullopt;
    }
    const auto mark = EntityTable::mark(snapshot->transaction(), feed_.space, start);
    if (!mark || !mark->is_live()) throw NotFound("entity", to_string(start));
  }
  return numbers;
}

AdjacencyStatus Adjacency::Core::status() const {
  const std::shared_lock lock(mutex_);
  AdjacencyStatus status;
  if (!options_.enabled) return status;
  status.state = is_too_large_ ? AdjacencyState::too_large : AdjacencyState::not_loaded;
  if (!loaded_) return status;
  const GraphArrays& arrays = loaded_->arrays();
  status.state = AdjacencyState::loaded;
  status.nodes = arrays.nodes();
  status.edges = arrays.edges();
  status.delta_edges = arrays.delta_edges();
  status.bytes = arrays.bytes();
  if (status.edges > 0) {
    status.bytes_per_edge = static_cast<double>(status.bytes) / static_cast<double>(status.edges);
  }
  status.seq = loaded_->seq();
  return status;
}

void Adjacency::Core::unload() {
  const std::unique_lock lock(mutex_);
  loaded_.reset();
  is_too_large_ = false;
  is_worth_loading_ = false;
  looked_at_ = 0;
  count_at_ = 0;
  workspaces_.clear();
}

Adjacency::Adjacency(storage::Database& database, core::Environment& environment,
                     std::string space, const AdjacencyOptions& options)
    : core_(std::make_unique<Core>(database, environment, std::move(space), options)) {}
Adjacency::~Adjacency() = default;

Traversal Adjacency::traverse(std::span<const EntityId> starts, const TraversalOptions& given) {
  check_starts(starts);
  const TraversalOptions options = normalised(given);
  return core_->answer(
      starts, options,
      [&](const MemoryGraph& graph, std::vector<Node> numbers, Workspace& workspace,
          Sequence seq) {
        std::erase(numbers, kNoNumber);
        auto traversal = answer_as_of<Traversal>(seq);
        traverse_in(graph, numbers, options, workspace.visited, traversal);
        return traversal;
      },
      [&](storage::Transaction& transaction) {
        return graph::traverse(transaction, core_->space(), starts, options);
      });
}

std::vector<ReachCount> Adjacency::count_reachable(std::span<const EntityId> starts,
                                                   const TraversalOptions& given) {
  check_starts(starts);
  const TraversalOptions options = normalised(given);
  return core_->answer(
      starts, options,
      [&](const MemoryGraph& graph, const std::vector<Node>& numbers, Workspace& workspace,
          Sequence seq) { return count_each(graph, numbers, options, workspace, seq); },
      [&](storage::Transaction& transaction) {
        return graph::count_reachable(transaction, core_->space(), starts, options);
      });
}

Path Adjacency::shortest_path(EntityId from, EntityId to, const TraversalOptions& given) {
  const TraversalOptions options = normalised(given);
  const EntityId ends[] = {from, to};
  return core_->answer(
      ends, options,
      [&](const MemoryGraph& graph, const std::vector<Node>& numbers, Workspace& workspace,
          Sequence seq) {
        auto path = answer_as_of<Path>(seq);
        path.outcome = PathOutcome::none;
        if (from == to || numbers[0] != kNoNumber) {
          path_in(graph, numbers[0], numbers[1], options, workspace.visited, path);
        }
        return path;
      },
      [&](storage::Transaction& transaction) {
        return graph::shortest_path(transaction, core_->space(), from, to, options);
      });
}

AdjacencyStatus Adjacency::status() const { return core_->status(); }
void Adjacency::unload() { core_->unload(); }

Adjacency& Adjacencies::of(const std::string& space) {
  const std::lock_guard lock(mutex_);
  return by_space_.try_emplace(space, database_, environment_, space, options_).first->second;
}

}  // namespace graph
}  // namespace holdfast
