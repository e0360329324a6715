#include <thread>

#include "suites/models_support.h"

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// A model that serves, and an entity that it has embedded.
struct Embedded : Embedding3 {
  Embedded() {
    ada = store.add_entity("Ada");
    create();
    pass_time(store);
  }
  Entity rename(const std::string& name) {
    pass_time(store);
    return written(space().rename_entity(ada.id, name));
  }
  EmbedReport embed() const { return models().embed("m"); }
  std::uint64_t outcome(const EmbedReport& report, const std::string& name) const {
    const auto found = report.outcomes.find(name);
    return found == report.outcomes.end() ? 0 : found->second;
  }
  Entity ada;
};

}  // namespace

TEST_CASE("text that is edited is embedded anew, and no longer found by its old vector",
          "[models][E1][E4]") {
  Embedded f;
  f.rename("Bea");
  CHECK(f.counts().stale == 1);
  const auto report = f.embed();
  CHECK(f.outcome(report, "applied") == 1);
  CHECK(report.events == 1);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Bea")));
  CHECK(f.counts().current == 1);
  CHECK(f.models().status("m").serving->behind == 0);
}

TEST_CASE("the vectors of a row that is deleted are gone, and their change is told once",
          "[models][E1]") {
  Embedded f;
  const auto before = f.change_of(f.ada.id.uuid);
  CHECK(f.space().entities().remove(f.ada.id).applied());
  CHECK(f.outcome(f.embed(), "purged") == 1);
  CHECK(f.stored(f.ada).empty());
  const auto after = f.change_of(f.ada.id.uuid);
  CHECK(after > before);
  CHECK(f.space().entities().purge(f.ada.id).applied());
  CHECK(f.change_of(f.ada.id.uuid) == after);
  CHECK(f.rows_in("projection_versions") == 0);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a purge takes the vectors along at once, whether or not anybody follows",
          "[models][E1]") {
  Embedded f;
  const auto before = f.change_of(f.ada.id.uuid);
  CHECK(f.space().entities().remove(f.ada.id).applied());
  REQUIRE(f.rows_in("vectors") == 1);
  CHECK(f.space().entities().purge(f.ada.id).pending.empty());
  CHECK(f.rows_in("vectors") == 0);
  CHECK(f.change_of(f.ada.id.uuid) > before);
  CHECK(f.rows_in("projection_versions") == 0);
  CHECK(f.outcome(f.embed(), "purged") == 1);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("an endpoint that goes down within a batch costs nothing of what it gave before",
          "[models]") {
  Embedded f;
  for (int i = 0; i < 6; ++i) f.store.add_entity("p" + std::to_string(i));
  int calls = 0;
  f.fake->on_call([&] { f.fake->go_down(++calls > 1); });
  EmbedOptions options;
  options.embedding.batch_texts = 2;
  CHECK(f.thrown_by([&] { (void)f.models().embed("m", options); }) == "unavailable");
  CHECK(f.counts().current == 3);
  CHECK(f.failed() == 0);
  f.fake->on_call({});
  f.fake->go_down(false);
  CHECK(f.outcome(f.models().embed("m", options), "applied") == 4);
  CHECK(f.counts().current == 7);
  for (int i = 0; i < 6; ++i) CHECK(f.fake->given("p" + std::to_string(i)) == 1);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("an edit that leaves the text as it is embeds nothing and keeps the vector",
          "[models][E5]") {
  Embedded f;
  const auto before = f.fake->given();
  const auto change = f.change_of(f.ada.id.uuid);
  pass_time(f.store);
  (void)written(f.space().entities().patch(f.ada.id, JsonObject::parse("p", R"({"tags":["x"]})")));
  CHECK(f.outcome(f.embed(), "restamped") == 1);
  CHECK(f.fake->given() == before);
  CHECK(f.change_of(f.ada.id.uuid) == change);
  CHECK(f.counts().current == 1);
}

TEST_CASE("two rows of one text have a vector each, and lose only their own", "[models][E5]") {
  Embedded f;
  const Entity twin = f.store.add_entity("Ada");
  (void)f.embed();
  REQUIRE(f.stored(twin) == f.stored(f.ada));
  f.rename("Bea");
  (void)f.embed();
  CHECK(f.stored(twin) == one(f.fake->vector_of("Ada")));
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Bea")));
}

TEST_CASE("a text that cannot be embedded leaves the old vector, stale and listed as failed",
          "[models][E3]") {
  Embedded f;
  f.fake->refuse("poison");
  f.rename("poison");
  const auto report = f.embed();
  CHECK(f.outcome(report, "failed") == 1);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].id == f.ada.id.uuid);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
  const auto counts = f.counts();
  CHECK(counts.current == 0);
  CHECK(counts.stale == 1);
  CHECK(f.failed() == 1);
  CHECK(f.models().status("m").serving->pending() == 0);
  CHECK(broken_checks(*f.store.store).empty());
}

TEST_CASE("a failed text fails alone: others of its batch are embedded", "[models][E3]") {
  Embedded f;
  f.fake->refuse("poison");
  f.rename("poison");
  const Entity bea = f.store.add_entity("Bea");
  const Entity cid = f.store.add_entity("Cid");
  const auto report = f.embed();
  CHECK(f.outcome(report, "failed") == 1);
  CHECK(f.outcome(report, "applied") == 2);
  CHECK(f.stored(bea) == one(f.fake->vector_of("Bea")));
  CHECK(f.stored(cid) == one(f.fake->vector_of("Cid")));
}

TEST_CASE("failures are listed in pages, tried again by name, and forgotten once they succeed",
          "[models]") {
  Embedded f;
  f.fake->refuse("poison");
  std::vector<Uuid> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(f.store.add_entity("poison").id.uuid);
  (void)f.embed();
  const auto pages = [&] {
    return all_pages<journal::DerivedFailure>(
        2, [&](const PageRequest& page) { return f.models().failures("m", page); });
  };
  auto failures = pages();
  REQUIRE(failures.size() == 5);
  CHECK(f.models().failures("m", {.limit = 2}).left_out == 3);
  CHECK(failures[0].reason.find("poison") != std::string::npos);
  CHECK(failures[0].attempts == 1);
  (void)f.models().retry_failed("m", std::span(ids).first(1));
  CHECK(pages().at(0).attempts == 2);
  f.fake->refuse("");
  const auto retried = f.models().retry_failed("m", std::span(ids).first(2));
  CHECK(f.outcome(retried, "applied") == 2);
  CHECK(pages().size() == 3);
  (void)f.models().retry_failed("m");
  CHECK(pages().empty());
  CHECK(f.counts().current == 6);
}

TEST_CASE("a failure is forgotten with its text, or its row", "[models]") {
  Embedded f;
  f.fake->refuse("poison");
  f.rename("poison");
  const Entity bea = f.store.add_entity("poison too");
  (void)f.embed();
  REQUIRE(f.failed() == 2);
  f.rename("Ada again");
  (void)f.space().entities().remove(bea.id);
  (void)f.embed();
  CHECK(f.failed() == 0);
  CHECK(f.models().failures("m").items.empty());
}

TEST_CASE("an endpoint that is down fails the run and no text, and nothing is lost",
          "[models][E3]") {
  Embedded f;
  f.rename("Bea");
  f.fake->go_down();
  CHECK(f.thrown_by([&] { (void)f.embed(); }) == "unavailable");
  CHECK(f.failed() == 0);
  CHECK(f.counts().stale == 1);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
  f.fake->go_down(false);
  CHECK(f.outcome(f.embed(), "applied") == 1);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Bea")));
}

TEST_CASE("writes never wait for an embedder, nor are they refused for it", "[models][H9]") {
  Embedded f;
  f.fake->go_down();
  std::vector<std::jthread> writers;
  const auto store = open_in_real_time(f.store);
  std::atomic<int> applied = 0;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      const Space space = store->space("main", "writer");
      for (int i = 0; i < 20; ++i) {
        const auto name = "n" + std::to_string(w) + "." + std::to_string(i);
        applied += space.entities().insert_if_absent(person(name)).applied() ? 1 : 0;
      }
    });
  }
  writers.clear();
  CHECK(applied == 80);
  f.fake->go_down(false);
  CHECK(f.outcome(f.embed(), "applied") == 80);
  CHECK(f.counts().current == 81);
}

TEST_CASE("what was written while a text was embedded is not covered by its vector",
          "[models][E1]") {
  Embedded f;
  f.rename("Bea");
  bool is_first = true;
  f.fake->on_call([&] {
    if (!is_first) return;
    is_first = false;
    f.rename("Cid");
  });
  const auto report = f.embed();
  CHECK(f.outcome(report, "skipped_stale") == 1);
  CHECK(f.outcome(report, "applied") == 1);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Cid")));
}

TEST_CASE("one embeds at a time, and another takes over when the lease has run out",
          "[models]") {
  Embedded f;
  f.rename("Bea");
  std::string refused;
  f.fake->on_call([&] {
    if (!refused.empty()) return;
    refused = f.thrown_by([&] { (void)f.embed(); });
    CHECK(f.models().status("m").embed_lease.has_value());
    f.store.environment.clock.advance(std::chrono::hours(1));
    CHECK(f.outcome(f.embed(), "applied") == 1);
  });
  const auto report = f.embed();
  CHECK(refused == "busy");
  CHECK(report.was_taken_over);
  CHECK(f.outcome(report, "restamped") == 1);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Bea")));
  CHECK_FALSE(f.models().status("m").embed_lease.has_value());
}

TEST_CASE("a worker follows until it is stopped, and two pay for no text twice", "[models]") {
  Embedded f;
  const auto store = open_in_real_time(f.store);
  const Space space = store->space("main", "tester");
  std::stop_source stop;
  std::vector<std::jthread> workers;
  for (int w = 0; w < 2; ++w) {
    workers.emplace_back([&] { (void)space.models().embed("m", stop.get_token()); });
  }
  Sequence end = 0;
  for (int i = 0; i < 30; ++i) {
    end = space.entities().insert_if_absent(person("p" + std::to_string(i))).seq;
  }
  while (f.serving().watermark < end) std::this_thread::yield();
  stop.request_stop();
  workers.clear();
  CHECK(f.counts().current == 31);
  for (int i = 0; i < 30; ++i) CHECK(f.fake->given("p" + std::to_string(i)) == 1);
}

TEST_CASE("a worker ends when its model is gone", "[models]") {
  Embedded f;
  const auto store = open_in_real_time(f.store);
  const Space space = store->space("main", "tester");
  f.fake->on_call([&] { CHECK(f.models().drop("m")); });
  (void)space.entities().insert_if_absent(person("Bea"));
  (void)space.models().embed("m", std::stop_token());
  CHECK(f.rows_in("vectors") == 0);
}

TEST_CASE("a worker ends when its model is dropped while it has nothing to do", "[models]") {
  Embedded f;
  const auto store = open_in_real_time(f.store);
  const Space space = store->space("main", "tester");
  std::jthread worker([&] { (void)space.models().embed("m", std::stop_token()); });
  while (f.models().status("m").serving->behind > 0) std::this_thread::yield();
  CHECK(f.models().drop("m"));
  worker.join();
}

TEST_CASE("a vector that is too long for a model fails its text alone", "[models][E3]") {
  Embedded f;
  f.rename("huge");
  const Entity bea = f.store.add_entity("Bea");
  f.fake->lengthen("huge");
  const auto report = f.embed();
  CHECK(f.outcome(report, "failed") == 1);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].detail.find("1e37") != std::string::npos);
  CHECK(f.stored(f.ada) == one(f.fake->vector_of("Ada")));
  CHECK(f.stored(bea) == one(f.fake->vector_of("Bea")));
}

TEST_CASE("a stop ends the wait for an endpoint that is down, and is no failure", "[models]") {
  Embedded f;
  f.rename("Bea");
  f.fake->go_down();
  std::stop_source stop;
  f.fake->on_call([&] { stop.request_stop(); });
  EmbedOptions options;
  options.stop = stop.get_token();
  const auto before = f.store.environment.clock.elapsed();
  CHECK(f.models().embed("m", options).was_stopped);
  CHECK(f.store.environment.clock.elapsed() == before);
  CHECK_FALSE(f.models().status("m").embed_lease.has_value());
  CHECK(f.failed() == 0);
}
