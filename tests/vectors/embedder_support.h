#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast::test {

/// Time that moves when it is waited for, and chance from a seed.
struct EmbedderEnvironment {
  explicit EmbedderEnvironment(std::uint64_t seed = 1) : random(seed) {}

  core::ManualClock clock{from_us(1'767'225'600'000'000)};  // 2026-01-01
  std::unique_ptr<core::IdSource> ids = core::make_seeded_id_source(clock, 1);
  core::Random random;
  core::Faults faults;
  core::Environment environment{.clock = clock, .ids = *ids, .random = random, .faults = faults};
};

/// Gives each text the vector {its size, 1}, or does what the test says; notes every call.
class ScriptedEmbedder final : public Embedder {
 public:
  using Texts = std::span<const std::string>;
  /// Called before the vectors are made; throws to fail the call.
  using Before = std::function<void(Texts)>;
  /// May change the answer.
  using After = std::function<void(Texts, std::vector<Embedding>&)>;

  explicit ScriptedEmbedder(Before before = {}, After after = {})
      : before_(std::move(before)), after_(std::move(after)) {}

  std::vector<Embedding> embed(Texts texts) override {
    {
      const std::lock_guard lock(mutex_);
      calls_.emplace_back(texts.begin(), texts.end());
    }
    if (before_) before_(texts);
    std::vector<Embedding> vectors;
    for (const std::string& text : texts) vectors.push_back(vector_of(text));
    if (after_) after_(texts, vectors);
    return vectors;
  }

  static Embedding vector_of(const std::string& text) {
    return {static_cast<float>(text.size()), 1.0F};
  }
  const std::vector<std::vector<std::string>>& calls() const { return calls_; }

 private:
  Before before_;
  After after_;
  std::mutex mutex_;
  std::vector<std::vector<std::string>> calls_;
};

inline std::vector<std::string> numbered_texts(std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back("text " + std::to_string(i));
  return texts;
}

}  // namespace holdfast::test
