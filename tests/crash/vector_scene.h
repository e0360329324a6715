#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/space/store.h>

#include "support/fake_embedder.h"
#include "support/fixture.h"

namespace holdfast::test {

/// Gives each text a vector of its own, and writes down what it was given where it outlives the
/// process that is killed.
class NotingEmbedder final : public Embedder {
 public:
  NotingEmbedder(std::string name, std::filesystem::path notes);
  std::vector<Embedding> embed(std::span<const std::string> texts) override;

 private:
  std::string name_;
  FakeEmbedder fake_;
  std::filesystem::path notes_;
};

/// A file with people and notes, and a model of their vectors, which processes of their own work
/// on and are killed at. Nothing is open in this process while one of them runs.
class VectorScene {
 public:
  /// Some 20 rows, and nothing embedded.
  VectorScene();

  /// "m", by the embedder "a" or "b", of names and of contents in chunks.
  static Model model(const std::string& embedder);
  /// Everything is in the graph.
  static IndexParameters parameters();
  /// Small batches, and leases that end before the next process asks.
  static journal::RebuildOptions rebuilding();
  static EmbedOptions embedding();
  /// Goes on with the rebuild that is under way, or makes the model one of the other embedder.
  static void rebuild(const Space& space);
  /// Changes of every sort, with texts that nothing else has; some vectors come with them.
  static void edit(const Space& space, int round);

  std::unique_ptr<Store> open(core::Environment* environment = nullptr,
                              bool in_background = false) const;
  std::filesystem::path database() const { return dir_ / "db" / "test.db"; }
  std::filesystem::path folder() const { return dir_ / "db" / "test.db-vectors"; }
  /// Names of the files in the folder.
  std::vector<std::string> files() const;

  /// The child's side. It passes fault points from arm() on.
  struct Child {
    const Space& space;
    std::function<void()> arm;
    int number = 0;  ///< no two have the same
  };
  using Work = std::function<void(const Child&)>;
  /// Which point a child sends itself the signal at: told its number from 0, and its name.
  using Choice = std::function<bool(int at, const std::string& point)>;
  static constexpr int kConflict = 4, kBusy = 5;
  /// Forks. The child's exit code is 0 when the work returned, else one of these, or 1.
  pid_t start(int signal, const Choice& choice, const Work& work, bool in_background = false);

  /// Points that any child has passed, and at which one was sent its signal.
  std::set<std::string> passed() const { return lines("passed"); }
  std::set<std::string> hit() const { return lines("hit"); }
  /// What embedders were given: their name, a blank, and the text.
  std::set<std::string> embedded() const { return lines("embedded"); }
  void forget_embedded() const { std::filesystem::remove(dir_ / "embedded"); }

  struct Judgement {
    std::string wrong;             ///< "" when nothing is
    std::set<std::string> stored;  ///< as embedded(): texts whose vectors are in a generation
    bool is_served = false;
  };
  /// Looks at a copy, so that the next process finds what the last one left.
  Judgement judge() const;

 private:
  std::set<std::string> lines(const std::string& name) const;

  TempDir dir_;
  int children_ = 0;
};

/// As waitpid() says.
int wait_for(pid_t child, int options = 0);

}  // namespace holdfast::test
