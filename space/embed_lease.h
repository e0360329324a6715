#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/space/access.h>
#include <holdfast/storage/lease.h>

namespace holdfast {

/// What the lease on embedding a model's texts is called.
std::string embed_lease_name(std::string_view model);

/// The right to embed, so that no two processes pay for the same texts. What is written needs no
/// lease: the guard of derived rows decides.
/// Thread safety: one thread at a time.
class EmbedLease {
 public:
  EmbedLease(const Access& access, std::string_view model, const std::string& owner,
             std::chrono::milliseconds duration);
  ~EmbedLease();
  EmbedLease(const EmbedLease&) = delete;
  EmbedLease& operator=(const EmbedLease&) = delete;

  /// False while another holds it. Throws NotFound("model") for one that is gone.
  bool claim();
  /// False when another has claimed it since: it was not renewed in time.
  bool renew();
  void release() noexcept;
  /// As it stands, when another holds it.
  const std::optional<storage::Lease>& other() const { return other_; }

 private:
  const Access& access_;
  std::string model_;
  std::string owner_;
  std::chrono::milliseconds duration_;
  std::optional<storage::Lease> lease_{};
  std::optional<storage::Lease> other_{};
};

}  // namespace holdfast
