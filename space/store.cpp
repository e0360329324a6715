#include <holdfast/space/store.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

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

journal::Registry all_sources() {
  journal::Registry registry;
  registry.add(journal::SpaceStore::source());
  registry.add(graph::EntityStore::source());
  registry.add(graph::RelationStore::source());
  registry.add(graph::EdgeStore::source());
  registry.add(notes::NoteStore::source());
  return registry;
}

}  // namespace

class Store::Core {
 public:
  explicit Core(const StoreOptions& options)
      : own_(options.environment == nullptr ? std::make_unique<SystemEnvironment>() : nullptr),
        environment_(own_ ? own_->environment() : *options.environment),
        registry_(all_sources()),
        database_(storage::Database::open(options.database, environment_)) {}

  Access access(std::string_view space, std::string_view actor) {
    return {.database = *database_,
            .environment = environment_,
            .space = core::check_space_name(space),
            .actor = core::check_actor(actor)};
  }

  storage::Database& database() { return *database_; }
  const journal::Registry& registry() const { return registry_; }

 private:
  std::unique_ptr<SystemEnvironment> own_;
  core::Environment& environment_;
  journal::Registry registry_;
  std::unique_ptr<storage::Database> database_;
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

Space Store::create_space(std::string_view name, std::string_view actor) {
  const Access access = core_->access(name, actor);
  const journal::WriteContext context = write_context(access);
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        const auto made =
            journal::SpaceStore::insert_if_absent(transaction, context, JsonObject{});
        return made.applied() ? storage::Verdict::keep : storage::Verdict::undo;
      },
      context.request_id);
  return Space(access, core_->registry());
}

Space Store::space(std::string_view name, std::string_view actor) {
  Space space(core_->access(name, actor), core_->registry());
  (void)space.tail();
  return space;
}

std::vector<std::string> Store::spaces() {
  const auto snapshot = core_->database().snapshot();
  return journal::SpaceStore::names(snapshot->transaction());
}

journal::VerifyReport Store::verify(
    const std::function<void(const journal::VerifyProgress&)>& progress) {
  const auto file_findings = core_->database().check_integrity();
  const auto snapshot = core_->database().snapshot(storage::ReaderAge::unbounded);
  auto report = journal::verify(snapshot->transaction(), core_->registry(), progress);
  for (const std::string& line : file_findings) {
    ++report.findings_total;
    report.findings.push_back({.check = "file.integrity", .space = "", .detail = line});
  }
  return report;
}

storage::Database& Store::database() { return core_->database(); }

}  // namespace holdfast
