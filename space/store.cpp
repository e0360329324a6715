#include <holdfast/space/store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/graph/key_store.h>
#include <holdfast/schedule/event_store.h>
#include <holdfast/vectors/embedding_projection.h>
#include <holdfast/vectors/vector_index.h>

#include "removal.h"
#include "writing.h"

namespace holdfast {
namespace {

/// The operating system's time, ids and randomness.
class SystemEnvironment {
 public:
  SystemEnvironment()
      : ids_(core::make_uuid_v7_source(clock_)), random_(core::Random::fresh_seed()) {}
  core::Environment& environment() { return environment_; }

 private:
  core::SystemClock clock_;
  std::unique_ptr<core::IdSource> ids_;
  core::Random random_;
  core::Faults faults_;
  core::Environment environment_{
      .clock = clock_, .ids = *ids_, .random = random_, .faults = faults_};
};

journal::Registry all_known(const StoreOptions& options,
                            const vectors::EmbeddingProjection& embedding) {
  journal::Registry registry;
  registry.add(journal::SpaceStore::source());
  registry.add(graph::EntityStore::source());
  registry.add(graph::RelationStore::source());
  registry.add(graph::EdgeStore::source());
  registry.add(notes::NoteStore::source());
  registry.add(schedule::EventStore::source());
  registry.add(graph::KeyStore::projection());
  registry.add(embedding);
  for (const journal::Projection* const projection : options.projections) {
    registry.add(*projection);
  }
  return registry;
}

/// On a file system that is not the system's own, no files can be put beside the database.
VectorIndexOptions index_options(const StoreOptions& options) {
  VectorIndexOptions index = options.vector_index;
  if (!options.database.vfs.empty()) index.snapshots = false;
  return index;
}

}  // namespace

class Store::Core {
 public:
  explicit Core(const StoreOptions& options)
      : own_(options.environment == nullptr ? std::make_unique<SystemEnvironment>() : nullptr),
        environment_(own_ ? own_->environment() : *options.environment),
        embedding_(options.embedders, environment_),
        registry_(all_known(options, embedding_)),
        meter_(options.metrics),
        database_(storage::Database::open(options.database, environment_)),
        adjacencies_(*database_, environment_, options.adjacency),
        indexes_(*database_, environment_, registry_, index_options(options)) {}

  Access access(std::string_view space, std::string_view actor) {
    return {.database = *database_,
            .environment = environment_,
            .registry = registry_,
            .meter = meter_,
            .adjacencies = adjacencies_,
            .embedding = embedding_,
            .indexes = indexes_,
            .space = core::check_space_name(space),
            .actor = core::check_actor(actor)};
  }

  storage::Database& database() { return *database_; }
  core::Environment& environment() { return environment_; }
  Meter& meter() { return meter_; }
  const journal::Registry& registry() const { return registry_; }

 private:
  std::unique_ptr<SystemEnvironment> own_;
  core::Environment& environment_;
  vectors::EmbeddingProjection embedding_;
  journal::Registry registry_;
  Meter meter_;
  std::unique_ptr<storage::Database> database_;
  graph::Adjacencies adjacencies_;
  vectors::VectorIndexes indexes_;
};

Store::Store(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::open(const StoreOptions& options) {
  return std::unique_ptr<Store>(new Store(std::make_unique<Core>(options)));
}

std::unique_ptr<Store> Store::open(const std::filesystem::path& path) {
  StoreOptions options;
  options.database.path = path;
  return open(options);
}

Space Store::create_space(std::string_view name, std::string_view actor,
                          const SpaceSettings& settings) {
  const Access access = core_->access(name, actor);
  const JsonObject text = to_json(settings);
  const journal::WriteContext context = write_context(access);
  bool is_going = false;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        const auto made = journal::SpaceStore::insert_if_absent(transaction, context, text);
        is_going = made.current && made.current->deleted_at;
        return made.applied() ? storage::Verdict::keep : storage::Verdict::undo;
      },
      context.request_id);
  if (is_going) {
    throw Conflict("space " + access.space +
                   " is being deleted; finish that first: `holdfast space delete " + access.space +
                   " --yes`, or Store::delete_space()");
  }
  return Space(access);
}

Space Store::space(std::string_view name, std::string_view actor) {
  Space space(core_->access(name, actor));
  (void)space.tail();
  return space;
}

Page<std::string> Store::spaces(const PageRequest& page) {
  const auto snapshot = core_->database().snapshot();
  return journal::SpaceStore::names(snapshot->transaction(), page);
}

SpaceInfo Store::space_info(std::string_view name) {
  const auto snapshot = core_->database().snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  SpaceInfo info;
  info.space = core::check_space_name(name);
  info.tail = journal::tail(transaction, info.space);
  const auto row = journal::SpaceStore::find(transaction, info.space);
  info.settings = read_settings(row.value().settings);
  info.created_at = row->created_at;
  const auto counts = journal::counts_of(transaction, info.space);
  info.rows = counts.rows;
  info.body_bytes = counts.body_bytes;
  info.projections = counts.projections;
  info.kinds = journal::count_rows_of(transaction, core_->registry(), info.space);
  info.requests = journal::count_requests(transaction, info.space);
  return info;
}

SpaceRemoval Store::delete_space(std::string_view name, const RemovalControl& control) {
  return remove_space(core_->access(name, "delete"), control);
}

StoreStats Store::stats() {
  StoreStats stats;
  stats.writes = core_->meter().counts();
  storage::Database& database = core_->database();
  stats.writer = database.writer().stats();
  stats.oldest_reader = database.oldest_reader();
  const auto info = database.info();
  stats.log_bytes = static_cast<std::uint64_t>(info.log_bytes);
  stats.database_bytes = static_cast<std::uint64_t>(info.database_bytes);
  stats.free_bytes = static_cast<std::uint64_t>(info.free_bytes);
  const auto snapshot = database.snapshot();
  const auto counts = journal::counts_of_all(snapshot->transaction());
  stats.spaces = counts.spaces;
  stats.rows = counts.rows;
  stats.body_bytes = counts.body_bytes;
  stats.projections = counts.projections;
  return stats;
}

std::map<std::string, double> Store::row_bytes() {
  const auto sizes = core_->database().table_bytes();
  const auto snapshot = core_->database().snapshot(storage::ReaderAge::unbounded);
  std::map<std::string, double> per_row;
  const auto divide = [&](std::string_view kind, std::string_view table) {
    const auto rows = journal::rows_in(snapshot->transaction(), table);
    for (const storage::TableBytes& size : sizes) {
      if (size.table != table || rows == 0) continue;
      per_row[std::string(kind)] = static_cast<double>(size.bytes) / static_cast<double>(rows);
    }
  };
  for (const journal::Source& source : core_->registry().sources()) {
    if (source.kind != "space") divide(source.kind, source.table);
  }
  divide("event", "events");
  return per_row;
}

journal::VerifyReport Store::verify(
    const std::function<void(const journal::VerifyProgress&)>& progress) {
  const auto file_findings = core_->database().check_integrity();
  const auto snapshot = core_->database().snapshot(storage::ReaderAge::unbounded);
  journal::VerifyReport report;
  try {
    report = journal::verify(snapshot->transaction(), core_->registry(), progress);
  } catch (const Error&) {
    // A file that is broken below, or lacks a table, cannot be read to the end; that it is broken
    // has been found.
    if (file_findings.empty()) throw;
  }
  for (const std::string& line : file_findings) {
    ++report.findings_total;
    report.findings.push_back({.check = "file.integrity", .space = "", .detail = line});
  }
  return report;
}

core::Environment& Store::environment() { return core_->environment(); }
storage::Database& Store::database() { return core_->database(); }

}  // namespace holdfast
