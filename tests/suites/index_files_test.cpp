#include <sys/stat.h>

#include <fstream>

#include "suites/similar_support.h"

namespace holdfast::test {
namespace {

using Ids = std::vector<Uuid>;

/// A store whose index is in a file.
struct Filed {
  explicit Filed(SimilarStore::Options options = SimilarStore::in_graph())
      : f(std::move(options)) {
    for (int i = 0; i < 30; ++i) ids.push_back(f.add(along(i)).id);
    f.embed();
    f.space->load_index();
    REQUIRE(f.space->index_status().is_file_usable);
  }
  std::filesystem::path file() const { return f.space->index_status().file; }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(file().parent_path())) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }
  /// Opens the store anew and says whether the index came from the file.
  bool is_loaded_anew() {
    int builds = 0;
    f.at("index.snapshot", [&] { ++builds; });
    f.reopen();
    f.space->load_index();
    return builds == 0;
  }
  SimilarStore f;
  std::vector<EntityId> ids;
};

TEST_CASE("an index that was written to its file is loaded by the next process", "[index]") {
  Filed filed;
  CHECK(filed.is_loaded_anew());
  CHECK(filed.f.ids_near({7, 0, 0, 0}, 1) == Ids{filed.ids[7].uuid});
  CHECK(filed.f.space->index_status().state == IndexState::ready);
  CHECK(filed.f.space->verify_index().findings_total == 0);
}

TEST_CASE("what changed since the file was written is taken in", "[index]") {
  Filed filed;
  filed.f.set(filed.ids[7], {100, 0, 0, 0});
  filed.f.remove(filed.ids[8]);
  filed.f.embed();
  CHECK(filed.is_loaded_anew());
  CHECK(filed.f.ids_near({100, 0, 0, 0}, 1) == Ids{filed.ids[7].uuid});
  CHECK(filed.f.nearest({0, 0, 0, 0}, 100).items.size() == 29);
  CHECK(filed.f.space->verify_index().findings_total == 0);
}

TEST_CASE("a file that is damaged is not used, and says why", "[index]") {
  Filed filed;
  const auto path = filed.file();
  const auto bytes = std::filesystem::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(bytes / 2));
    file.put('\x55').put('\xaa').put('\x55');
  }
  CHECK_FALSE(filed.is_loaded_anew());
  CHECK(filed.f.ids_near({7, 0, 0, 0}, 1) == Ids{filed.ids[7].uuid});
  CHECK(filed.f.space->verify_index().findings_total == 0);
  CHECK(filed.is_loaded_anew());
}

TEST_CASE("a file of other parameters, or of a database that was set back, is not used",
          "[index]") {
  Filed filed;
  const auto copy = filed.file().string() + ".copy";
  std::filesystem::copy(filed.file(), copy);
  IndexParameters parameters = SimilarStore::in_graph().parameters;
  parameters.m = 8;
  filed.f.space->rebuild_index("m", parameters);
  CHECK(filed.f.space->index_status().is_file_usable);
  std::filesystem::copy(copy, filed.file(), std::filesystem::copy_options::overwrite_existing);
  CHECK_FALSE(filed.f.space->index_status().is_file_usable);
  CHECK_FALSE(filed.is_loaded_anew());
}

TEST_CASE("a file is not used beside a database that was put back to an earlier state", "[index]") {
  Filed filed;
  StoreOptions options = filed.f.store_options();
  const std::filesystem::path here = options.database.path;
  const std::filesystem::path earlier = here.string() + ".earlier";
  REQUIRE(filed.f.store->database().backup(earlier, {}));
  filed.f.set(filed.ids[7], {100, 0, 0, 0});
  filed.f.embed();
  (void)filed.f.space->compact_index();
  REQUIRE(filed.f.space->index_status().is_file_usable);
  // What is put back goes another way, past the change that the file is of.
  std::filesystem::copy(here.string() + "-vectors", earlier.string() + "-vectors");
  options.database.path = earlier;
  const auto store = Store::open(options);
  const Space space = store->space("main", "tester");
  for (const std::string name : {"5.5", "5.6", "5.7"}) {
    filed.f.environment.clock.advance(1s);
    written(space.rename_entity(filed.ids[5], name));
    (void)space.models().embed("m");
  }
  CHECK_FALSE(space.index_status().is_file_usable);
  space.load_index();
  CHECK(ids_of(space.similar(request_near({7, 0, 0, 0}, 1))) == Ids{filed.ids[7].uuid});
  CHECK(ids_of(space.similar(request_near({5.7F, 0, 0, 0}, 1))) == Ids{filed.ids[5].uuid});
  CHECK(space.verify_index().findings_total == 0);
}

TEST_CASE("a space that was made anew has nothing of the old one's index", "[index][H14]") {
  Filed filed;
  filed.f.environment.clock.advance(1s);
  filed.f.space.reset();
  (void)filed.f.store->delete_space("main");
  filed.f.space = std::make_unique<Space>(filed.f.store->create_space("main", "tester"));
  Model model{.name = "m", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  const auto parameters = SimilarStore::in_graph().parameters;
  REQUIRE(filed.f.space->models().create(model, parameters).outcome == ModelOutcome::created);
  const Uuid id = filed.f.embedded({7, 0, 0, 0}).id.uuid;
  CHECK(filed.f.ids_near({7, 0, 0, 0}) == Ids{id});
  filed.f.reopen();
  filed.f.space->load_index();
  CHECK(filed.f.ids_near({7, 0, 0, 0}) == Ids{id});
  CHECK(filed.f.space->verify_index().findings_total == 0);
}

TEST_CASE("two spaces with rows of equal ids have indexes of their own", "[index][H14]") {
  Filed filed;
  const Space other = filed.f.store->create_space("other", "tester");
  Model model{.name = "m", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  REQUIRE(other.models().create(model, {}).outcome == ModelOutcome::created);
  Entity entity;
  entity.id = filed.ids[7];
  entity.kind = "person";
  entity.name = "-7 0 0 0";
  REQUIRE(other.entities().insert_if_absent(entity).applied());
  (void)other.models().embed("m");
  for (int i = 0; i < 2; ++i) {
    const auto theirs = other.similar(request_near({-7, 0, 0, 0}));
    REQUIRE(theirs.items.size() == 1);
    CHECK(theirs.items[0].distance == 0);
    const auto ours = filed.f.nearest({7, 0, 0, 0}, 1);
    CHECK(ours.items[0].id == filed.ids[7].uuid);
    CHECK(ours.items[0].distance == 0);
  }
}

TEST_CASE("files that belong to no index any more are removed", "[index]") {
  Filed filed;
  CHECK(filed.files() == 1);
  const auto folder = filed.file().parent_path();
  CHECK(filed.f.space->models().rebuild("m").end == journal::RebuildEnd::swapped);
  (void)filed.f.space->compact_index();
  CHECK(filed.files() == 1);
  CHECK(filed.f.space->models().drop("m"));
  Model model{.name = "n", .dimension = 4, .metric = Metric::l2};
  model.embedder = CallerEmbedderSpec{.name = "numbers"};
  const auto parameters = SimilarStore::in_graph().parameters;
  REQUIRE(filed.f.space->models().create(model, parameters).outcome == ModelOutcome::created);
  (void)filed.f.space->compact_index("n");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CHECK(entry.path() == filed.f.space->index_status("n").file);
  }
}

TEST_CASE("whoever is overtaken again and again leaves no file of what it made",
          "[index][H25]") {
  const std::string seam = GENERATE("index.swap", "index.snapshot", "segment_file.before_write",
                                    "segment_file.before_rename", "index.name");
  CAPTURE(seam);
  Filed filed;
  const auto another = filed.f.open_another();
  const Space other = another->space("main", "other");
  for (int round = 0; round < 5; ++round) {
    filed.f.set(filed.ids[0], along(round + 100));
    filed.f.embed();
    bool is_overtaken = false;
    filed.f.at(seam, [&] {
      is_overtaken = true;
      CHECK(other.models().rebuild("m").end == journal::RebuildEnd::swapped);
    });
    (void)filed.f.space->compact_index();
    CHECK(is_overtaken);
    CHECK(filed.files() == 1);
    CHECK(filed.f.ids_near(along(round + 100), 1) == Ids{filed.ids[0].uuid});
  }
}

TEST_CASE("a generation's file is there before it serves", "[index]") {
  Filed filed;
  CHECK(filed.f.space->models().rebuild("m").end == journal::RebuildEnd::swapped);
  CHECK(filed.f.space->index_status().generation == 2);
  CHECK(filed.f.space->index_status().is_file_usable);
  CHECK(filed.is_loaded_anew());
  CHECK(filed.f.ids_near({7, 0, 0, 0}, 1) == Ids{filed.ids[7].uuid});
}

TEST_CASE("no file is kept where snapshots are switched off", "[index]") {
  auto options = SimilarStore::in_graph();
  options.index.snapshots = false;
  SimilarStore f(options);
  (void)f.embedded({1, 0, 0, 0});
  f.space->load_index();
  CHECK(f.space->index_status().state == IndexState::ready);
  CHECK(f.space->index_status().file.empty());
}

TEST_CASE("another process sees a write at once, and a generation that serves from now on",
          "[index]") {
  Filed filed;
  const auto another = filed.f.open_another();
  const Space other = another->space("main", "other");
  (void)other.similar(request_near({0, 0, 0, 0}));
  const Uuid id = filed.f.embedded({-5, 0, 0, 0}).id.uuid;
  CHECK(ids_of(other.similar(request_near({-5, 0, 0, 0}, 1))) == Ids{id});
  CHECK(filed.f.space->models().rebuild("m").end == journal::RebuildEnd::swapped);
  const auto answer = other.similar(request_near({-5, 0, 0, 0}, 1));
  CHECK(answer.generation == 2);
  CHECK(ids_of(answer) == Ids{id});
  CHECK(other.similar(request_near({-5, 0, 0, 0}, 1)).searched == SearchedIn::graph);
}

TEST_CASE("the database's file goes back to the size of what is live", "[index][H18]") {
  Filed filed;
  const auto live = filed.f.space->compact_index().database_bytes;
  for (int round = 0; round < 20; ++round) {
    for (const EntityId id : filed.ids) {
      filed.f.set(id, {1.0F * static_cast<float>(round), 1, 0, 0});
    }
    filed.f.embed();
  }
  const std::string vectors_before = std::to_string(filed.f.space->index_status().stored);
  CHECK(vectors_before == "30");
  CHECK(filed.f.space->models().rebuild("m").end == journal::RebuildEnd::swapped);
  const auto done = filed.f.space->compact_index();
  CHECK(filed.f.store->stats().free_bytes == 0);
  CHECK(done.database_bytes <= done.database_bytes_before);
  CHECK(done.database_bytes >= live);  // the journal has grown
}

/// Puts something else in the place of the file.
template <typename Put>
void replace_file(const std::filesystem::path& file, Put put) {
  std::filesystem::remove(file);
  put(file);
}

TEST_CASE("a pipe in the place of the file is told, and replaced", "[index]") {
  Filed filed;
  replace_file(filed.file(), [](const auto& at) { REQUIRE(mkfifo(at.c_str(), 0600) == 0); });
  CHECK_FALSE(filed.f.space->index_status().is_file_usable);
  CHECK(filed.f.space->index_status().file_refusal == "it is not a file");
  (void)filed.f.space->compact_index();
  CHECK(filed.f.space->index_status().is_file_usable);
  CHECK(filed.is_loaded_anew());
}

TEST_CASE("a folder in the place of the file is named as what is to be removed", "[index]") {
  Filed filed;
  const auto file = filed.file();
  const bool is_temporary = GENERATE(false, true);
  const std::filesystem::path folder = file.string() + (is_temporary ? ".tmp" : "");
  replace_file(file, [&](const auto&) { std::filesystem::create_directory(folder); });
  const std::string refusal = filed.f.space->index_status().file_refusal;
  CHECK(refusal == (is_temporary ? "there is none"
                                 : "it is a folder, which is in the way: remove it"));
  CHECK_THROWS_WITH(filed.f.space->compact_index(),
                    Catch::Matchers::EndsWith(folder.filename().string() +
                                              " is a folder, which is in the way: remove it"));
  std::filesystem::remove(folder);
  (void)filed.f.space->compact_index();
  CHECK(filed.f.space->index_status().is_file_usable);
}

}  // namespace
}  // namespace holdfast::test
