#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include <holdfast/core/environment.h>
#include <holdfast/journal/projection.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/model.h>
#include <holdfast/vectors/reliable_embedder.h>

namespace holdfast::vectors {

/// Vectors as a projection of rows' texts: the input is the text, what is derived the vectors of
/// its chunks, packed. A text that will never do is a failure of its source; an endpoint that is
/// down is thrown.
/// Thread safety: any number of calls at once.
class EmbeddingProjection final : public journal::Projection {
 public:
  /// `environment` must outlive it.
  EmbeddingProjection(Embedders hosts, core::Environment& environment);
  /// The same with other options of embedding, which ends early after `stop`: derive() then throws
  /// Unavailable.
  EmbeddingProjection(const EmbeddingProjection& other, const EmbeddingOptions& options,
                      std::stop_token stop);
  ~EmbeddingProjection() override;

  std::string_view type() const override { return kModelType; }
  std::uint64_t protocol() const override { return 1; }
  journal::Upkeep upkeep() const override { return journal::Upkeep::followed; }
  std::vector<std::string_view> sources(const JsonObject& declaration) const override;
  bool can_derive(const JsonObject& declaration) const override;
  bool derives_alike(const JsonObject& a, const JsonObject& b) const override;
  std::optional<std::string> input(const JsonObject& declaration, std::string_view kind,
                                   const journal::StoredRow& row) const override;
  std::vector<journal::Derived> derive(const JsonObject& declaration,
                                       std::span<const std::string> inputs) const override;
  std::optional<Uuid> write(storage::Transaction& transaction, const journal::DerivedOf& of,
                            std::string_view derived) const override;
  void purge(storage::Transaction& transaction, const journal::DerivedOf& of) const override;
  bool could_be(const JsonObject& declaration, std::string_view input,
                std::string_view derived) const override;
  std::optional<std::string> stored(storage::Transaction& transaction,
                                    const journal::DerivedOf& of) const override;
  std::string_view table() const override { return "vectors"; }
  std::vector<std::string_view> side_tables() const override {
    return {"vector_changes", "vector_files"};
  }

  /// The model that a declaration spells out, under no name; kept for the next call.
  std::shared_ptr<const Model> model(const JsonObject& declaration) const;
  /// For queries: the embedder that the declaration names, as it is. Null for a CallerEmbedderSpec
  /// without a name. Throws Unavailable when the host has none of the name.
  std::shared_ptr<Embedder> embedder(const JsonObject& declaration) const;

 private:
  struct Known;
  std::shared_ptr<Known> known(const JsonObject& declaration) const;
  ReliableEmbedder& reliable(const JsonObject& declaration) const;

  Embedders hosts_;
  core::Environment& environment_;
  EmbeddingOptions options_{};
  std::stop_token stop_{};
  mutable std::mutex mutex_;
  /// By declaration; guarded by mutex_.
  mutable std::map<std::string, std::shared_ptr<Known>, std::less<>> known_;
};

}  // namespace holdfast::vectors
