#include "support/fixture.h"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace holdfast::test {
namespace {

class SqliteBackend final : public Backend {
 public:
  storage::Options options() const override {
    storage::Options options;
    options.path = dir_ / "test.db";
    return options;
  }

 private:
  TempDir dir_;
};

Timestamp start() { return parse_timestamp("start", "2026-01-01T00:00:00Z"); }

template <class Row>
Row inserted(WriteResult<Row> result) {
  if (!result.applied()) {
    throw std::logic_error("fixture insert: " + std::string(to_string(result.outcome)));
  }
  return std::move(*result.current);
}

}  // namespace

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

TestEnvironment::TestEnvironment(std::uint64_t seed)
    : clock(start()),
      ids(core::make_seeded_id_source(clock, seed)),
      random(seed),
      environment{.clock = clock, .ids = *ids, .random = random, .faults = faults} {}

std::unique_ptr<Backend> backend_under_test() {
  const char* name = std::getenv("HOLDFAST_TEST_BACKEND");
  if (name == nullptr || std::string(name) == "sqlite") return std::make_unique<SqliteBackend>();
  throw std::runtime_error("HOLDFAST_TEST_BACKEND: unknown backend " + std::string(name));
}

TestStore::TestStore(std::uint64_t seed, std::vector<const journal::Projection*> own,
                     Embedders hosts)
    : environment(seed),
      projections(std::move(own)),
      embedders(std::move(hosts)),
      backend(backend_under_test()) {
  reopen();
}

StoreOptions TestStore::options() {
  return {.database = backend->options(),
          .environment = &environment.environment,
          .projections = projections,
          .embedders = embedders};
}

void TestStore::reopen() {
  space.reset();
  store.reset();
  store = Store::open(options());
  space = std::make_unique<Space>(store->create_space("main", "tester"));
}

std::unique_ptr<Store> TestStore::open_another() { return Store::open(options()); }

Entity TestStore::add_entity(const std::string& name, const std::string& kind) {
  Entity entity;
  entity.kind = kind;
  entity.name = name;
  return inserted(space->entities().insert_if_absent(entity));
}

Edge TestStore::add_edge(EntityId source, const std::string& relation, EntityId target) {
  Edge edge;
  edge.source = source;
  edge.relation = relation;
  edge.target = target;
  return inserted(space->edges().insert_if_absent(edge));
}

Note TestStore::add_note(const std::string& content, std::optional<EntityId> about) {
  Note note;
  note.kind = "observation";
  note.content = content;
  note.about = about;
  return inserted(space->notes().insert_if_absent(note));
}

}  // namespace holdfast::test
