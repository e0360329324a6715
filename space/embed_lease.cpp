#include "embed_lease.h"

#include "models_catalog.h"

namespace holdfast {

std::string embed_lease_name(std::string_view model) { return "embed:" + std::string(model); }

EmbedLease::EmbedLease(const Access& access, std::string_view model, const std::string& owner,
                       std::chrono::milliseconds duration)
    : access_(access), model_(model), duration_(duration) {
  const std::string run = to_string(access.environment.ids.next());
  owner_ = owner.empty() ? run : owner + ", run " + run;
}

EmbedLease::~EmbedLease() { release(); }

bool EmbedLease::claim() {
  change_models(access_, [&](storage::Transaction& transaction) {
    (void)require_model(transaction, access_.space, model_);
    const std::string name = embed_lease_name(model_);
    lease_ = storage::claim_lease(transaction, access_.space, name, owner_,
                                  access_.environment.clock.now(), duration_);
    other_ = lease_ ? std::nullopt : storage::find_lease(transaction, access_.space, name);
    return lease_ ? storage::Verdict::keep : storage::Verdict::undo;
  });
  return lease_.has_value();
}

bool EmbedLease::renew() {
  if (!lease_) return false;
  bool is_ours = false;
  change_models(access_, [&](storage::Transaction& transaction) {
    is_ours = storage::renew_lease(transaction, *lease_, access_.environment.clock.now(),
                                   duration_);
    return is_ours ? storage::Verdict::keep : storage::Verdict::undo;
  });
  if (!is_ours) lease_.reset();
  return is_ours;
}

void EmbedLease::release() noexcept {
  if (!lease_) return;
  try {
    change_models(access_, [&](storage::Transaction& transaction) {
      storage::release_lease(transaction, *lease_);
      return storage::Verdict::keep;
    });
  } catch (...) {
    // It ends by itself.
  }
  lease_.reset();
}

}  // namespace holdfast
