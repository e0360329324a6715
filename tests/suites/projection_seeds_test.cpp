#include "suites/projection_support.h"

#include <algorithm>
#include <map>
#include <thread>

using namespace holdfast;
using namespace holdfast::test;
using journal::GenerationState;
using journal::RebuildEnd;

namespace {

constexpr const char* kOpenSeams[] = {"projection.load",      "projection.derive",
                                      "projection.lock",      "projection.watermark",
                                      "projection.swap",      "projection.drop"};
constexpr const char* kLockedSeams[] = {"projection.compare", "projection.write",
                                        "projection.purge"};

template <class Names>
bool is_one_of(const Names& names, std::string_view point) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return point == name; });
}

/// Rebuilds of a key and of a followed projection, with live writes drawn at every seam that they
/// pass: where they hold the lock, a thread's write that has to wait for them.
class Race {
 public:
  explicit Race(std::uint64_t seed) : f_(seed), random_(seed) {
    for (int i = 0; i < 8; ++i) add();
    for (int i = 0; i < 4; ++i) link();
    f_.store.environment.faults.arm([this](std::string_view point) { pass(point); });
  }
  ~Race() { settle(); }

  void run() {
    for (int i = 0; i < 4; ++i) {
      end("key", [&] {
        return std::string(to_string(f_.space().declare_key(kKey, kSmall).outcome));
      });
      f_.declare();
      end("words", [&] { return std::string(to_string(f_.rebuild(kSmall).end)); });
    }
    settle();
    f_.store.environment.faults.arm({});
    f_.store.environment.clock.advance(20s);
    (void)f_.follow();
  }

  /// Whatever the races came to: nothing stale, nothing missing, no orphan.
  void check() {
    CHECK(f_.faults().empty());
    CHECK(f_.space().declare_key(kKey, kSmall).build.end == RebuildEnd::swapped);
    f_.declare();
    CHECK(f_.rebuild(kSmall).end == RebuildEnd::swapped);
    CHECK(f_.faults().empty());
    for (const Entity& row : live()) {
      CAPTURE(row.name);
      CHECK(f_.space().find_by_key("name", row.name)->id == row.id);
      std::string upper = row.name;
      upper[0] = static_cast<char>(upper[0] - 'a' + 'A');
      CHECK(f_.word(row) == upper);
    }
  }

  const std::map<std::string, int>& ends() const { return ends_; }

 private:
  inline static const KeyDeclaration kKey{.name = "name", .kind = {}, .path = "name"};
  inline static const journal::RebuildOptions kSmall{.batch = 3};

  void end(const std::string& what, const std::function<std::string()>& work) {
    std::string how;
    try {
      how = work();
    } catch (const Conflict&) {
      how = "taken over";
    } catch (const NotFound&) {
      how = "undeclared";
    }
    ++ends_[what + " " + how];
  }

  void pass(std::string_view point) {
    // The thread's write passes points too, and what is done at a seam passes seams of its own.
    if (std::this_thread::get_id() != loop_ || is_inside_) return;
    if (is_one_of(kLockedSeams, point)) {
      if (thread_.joinable() || random_.below(4) != 0) return;
      thread_ = std::thread([this] { act(); });
    } else if (is_one_of(kOpenSeams, point)) {
      settle();
      is_inside_ = true;
      if (random_.below(2) == 0) act();
      if (random_.below(25) == 0) meddle();
      is_inside_ = false;
    }
  }

  void settle() {
    is_inside_ = true;
    if (thread_.joinable()) thread_.join();
    is_inside_ = false;
  }

  std::vector<Entity> live() const { return f_.space().entities().list({}).items; }

  /// From a small pool, so that names come back.
  std::string free_name() {
    const auto taken = live();
    for (;;) {
      std::string name = "n" + std::to_string(random_.below(24));
      if (std::none_of(taken.begin(), taken.end(),
                       [&](const Entity& row) { return row.name == name; })) {
        return name;
      }
    }
  }

  void add() { f_.store.add_entity(free_name()); }
  void link() {
    const auto rows = live();
    (void)f_.space().edges().insert_if_absent(edge_between(
        rows[random_.below(rows.size())].id, "r" + std::to_string(random_.below(3)),
        rows[random_.below(rows.size())].id));
  }

  void act() {
    pass_time(f_.store);
    const auto rows = live();
    const Entity& row = rows[random_.below(rows.size())];
    const auto& entities = f_.space().entities();
    switch (random_.below(6)) {
      case 0: (void)f_.space().rename_entity(row.id, free_name()); break;
      case 1: (void)entities.update(row.id, [](Entity& e) { e.tags.push_back("t"); }); break;
      case 2: replace_by_another(row); break;
      case 3: dead_ = entities.remove(row.id).current; break;
      case 4: bring_back(); break;
      default: retarget(); break;
    }
    if (live().size() < 4) add();
  }

  /// Another row gets the name; the first is purged.
  void replace_by_another(const Entity& row) {
    (void)f_.space().entities().remove(row.id);
    if (random_.below(2) == 0) (void)f_.space().entities().purge(row.id);
    f_.store.add_entity(row.name);
  }
  void bring_back() {
    if (!dead_) return;
    const auto rows = live();
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const Entity& row) { return row.name == dead_->name; })) {
      (void)f_.space().entities().restore(dead_->id);
    }
    dead_.reset();
  }
  void retarget() {
    const auto edges = f_.space().edges().list({}).items;
    if (edges.empty()) return link();
    EdgeMove move;
    move.relation = "r" + std::to_string(random_.below(3));
    (void)f_.space().retarget_edge(edges[random_.below(edges.size())].id, move);
  }

  /// Somebody else takes over, cancels, or takes the declaration back.
  void meddle() {
    switch (random_.below(3)) {
      case 0:
        f_.store.environment.clock.advance(20s);
        (void)f_.rebuild(kSmall);
        break;
      case 1: (void)journal::cancel_rebuild(f_.site(), "words"); break;
      default: (void)f_.space().undeclare_key("name"); break;
    }
  }

  Projected f_;
  core::Random random_;
  std::optional<Entity> dead_;
  const std::thread::id loop_ = std::this_thread::get_id();
  bool is_inside_ = false;
  std::thread thread_;
  std::map<std::string, int> ends_;
};

}  // namespace

TEST_CASE("no interleaving of live writes with a rebuild leaves a stale derived row",
          "[projections]") {
  std::map<std::string, int> ends;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Race race(seed);
    race.run();
    race.check();
    for (const auto& [end, count] : race.ends()) ends[end] += count;
  }
  // The draws reach every way in which a rebuild can end.
  for (const char* end : {"key declared", "key cancelled", "words swapped", "words cancelled"}) {
    CAPTURE(end);
    CHECK(ends[end] > 0);
  }
}
