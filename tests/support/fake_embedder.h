#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/vectors/embedder.h>

namespace holdfast::test {

/// An embedder that counts, and fails as it is told. Equal texts get equal vectors, other texts
/// others; no two embedders with other seeds give a text the same.
/// Thread safety: any number of calls at once.
class FakeEmbedder final : public Embedder {
 public:
  explicit FakeEmbedder(std::size_t dimension, unsigned seed = 1)
      : dimension_(dimension), seed_(seed) {}

  std::vector<Embedding> embed(std::span<const std::string> texts) override;
  Embedding vector_of(std::string_view text) const;

  /// Texts that hold this word are refused; "" for none.
  void refuse(std::string word);
  /// Texts that hold this word get vectors that no model takes; "" for none.
  void lengthen(std::string word);
  /// The endpoint cannot be reached.
  void go_down(bool is_down = true);
  /// Called before each answer, outside the lock.
  void on_call(std::function<void()> act);

  /// How often a vector was given for that text; for all of them.
  std::uint64_t given(const std::string& text) const;
  std::uint64_t given() const;

 private:
  std::size_t dimension_;
  unsigned seed_;
  mutable std::mutex mutex_;
  std::string refused_;
  std::string lengthened_;
  bool is_down_ = false;
  std::function<void()> act_;
  std::map<std::string, std::uint64_t> given_;
};

}  // namespace holdfast::test
