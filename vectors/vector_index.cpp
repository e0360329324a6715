#include <holdfast/vectors/vector_index.h>

#include "index_core.h"

namespace holdfast::vectors {

VectorIndex::VectorIndex(std::shared_ptr<Site> site, std::string space, std::string model)
    : core_(std::make_shared<Core>(std::move(site), std::move(space), std::move(model))) {}
VectorIndex::~VectorIndex() = default;

SimilarAnswer VectorIndex::search(const IndexQuery& query, const Matcher& matcher) {
  return core_->search(query, matcher);
}
IndexStatus VectorIndex::status() { return core_->status(); }
IndexVerification VectorIndex::verify(const std::function<bool()>& go_on) {
  return core_->verify(go_on ? go_on : [] { return true; });
}
IndexCompaction VectorIndex::compact() { return core_->compact(); }
void VectorIndex::load() { core_->load(); }
void VectorIndex::prepare(const journal::Generation& generation,
                          const std::function<bool()>& go_on) {
  core_->prepare(generation, go_on ? go_on : [] { return true; });
}
void VectorIndex::unload() { core_->unload(); }
void VectorIndex::wait() { core_->wait(); }

VectorIndexes::VectorIndexes(storage::Database& database, core::Environment& environment,
                             const journal::Registry& registry,
                             const VectorIndexOptions& options)
    : site_(std::make_shared<VectorIndex::Site>(database, environment, registry, options)) {
  const storage::DatabaseInfo info = database.info();
  if (options.snapshots) site_->folder.emplace(info.path, environment.faults);
  site_->writes_files = !info.is_read_only;
}

VectorIndexes::~VectorIndexes() { site_->worker.stop(); }

VectorIndex& VectorIndexes::of(const std::string& space, const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto found = by_model_.find({space, model});
  if (found != by_model_.end()) return found->second;
  return by_model_
      .emplace(std::piecewise_construct, std::forward_as_tuple(space, model),
               std::forward_as_tuple(site_, space, model))
      .first->second;
}

}  // namespace holdfast::vectors
