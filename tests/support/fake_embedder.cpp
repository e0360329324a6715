#include "support/fake_embedder.h"

#include <cmath>

namespace holdfast::test {

Embedding FakeEmbedder::vector_of(std::string_view text) const {
  std::uint32_t state = 2166136261U ^ seed_;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 16777619U;
  Embedding vector(dimension_);
  for (float& component : vector) {
    state = state * 1664525U + 1013904223U;
    component = static_cast<float>(state >> 16U) / 65536.0F - 0.5F;
  }
  return vector;
}

std::vector<Embedding> FakeEmbedder::embed(std::span<const std::string> texts) {
  std::function<void()> act;
  {
    const std::lock_guard lock(mutex_);
    act = act_;
  }
  if (act) act();
  const std::lock_guard lock(mutex_);
  if (is_down_) throw EmbeddingUnavailable("the endpoint is down");
  for (const std::string& text : texts) {
    if (!refused_.empty() && text.find(refused_) != std::string::npos) {
      throw EmbeddingRefused("it holds " + refused_);
    }
  }
  std::vector<Embedding> vectors;
  for (const std::string& text : texts) {
    ++given_[text];
    vectors.push_back(vector_of(text));
    if (!lengthened_.empty() && text.find(lengthened_) != std::string::npos) {
      vectors.back()[0] = 1e19F;
    }
  }
  return vectors;
}

void FakeEmbedder::refuse(std::string word) {
  const std::lock_guard lock(mutex_);
  refused_ = std::move(word);
}

void FakeEmbedder::lengthen(std::string word) {
  const std::lock_guard lock(mutex_);
  lengthened_ = std::move(word);
}

void FakeEmbedder::go_down(bool is_down) {
  const std::lock_guard lock(mutex_);
  is_down_ = is_down;
}

void FakeEmbedder::on_call(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  act_ = std::move(act);
}

std::uint64_t FakeEmbedder::given(const std::string& text) const {
  const std::lock_guard lock(mutex_);
  const auto found = given_.find(text);
  return found == given_.end() ? 0 : found->second;
}

std::uint64_t FakeEmbedder::given() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t all = 0;
  for (const auto& [text, times] : given_) all += times;
  return all;
}

}  // namespace holdfast::test
