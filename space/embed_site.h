#pragma once

#include <stop_token>

#include <holdfast/journal/projection_site.h>
#include <holdfast/space/access.h>
#include <holdfast/vectors/embedding_projection.h>

namespace holdfast {

/// Where models live, for one call that has its own way of calling the embedder.
/// Thread safety: that of its parts; `access` must outlive it.
class EmbedSite {
 public:
  EmbedSite(const Access& access, const vectors::EmbeddingOptions& options,
            std::stop_token stop = {})
      : projection_(access.embedding, options, std::move(stop)),
        registry_(access.registry.with(projection_)),
        site_{.database = access.database,
              .environment = access.environment,
              .registry = registry_,
              .space = access.space} {}
  EmbedSite(const EmbedSite&) = delete;
  EmbedSite& operator=(const EmbedSite&) = delete;

  const journal::ProjectionSite& site() const { return site_; }

 private:
  vectors::EmbeddingProjection projection_;
  journal::Registry registry_;
  journal::ProjectionSite site_;
};

}  // namespace holdfast
