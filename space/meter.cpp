#include <holdfast/space/meter.h>

namespace holdfast {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void Meter::wrote(std::string_view kind, Outcome outcome, bool repeated) {
  if (repeated) {
    repeated_.fetch_add(1, kRelaxed);
    if (host_ != nullptr) host_->on_repeated_request(kind);
    return;
  }
  switch (outcome) {
    case Outcome::applied:
    case Outcome::absorbed: applied_.fetch_add(1, kRelaxed); break;
    case Outcome::unchanged: unchanged_.fetch_add(1, kRelaxed); break;
    case Outcome::exists:
    case Outcome::missing:
    case Outcome::revision_moved:
    case Outcome::deletion_changed:
    case Outcome::not_advanced: conflicts_.fetch_add(1, kRelaxed); break;
    default: refused_.fetch_add(1, kRelaxed); break;
  }
  if (host_ != nullptr) host_->on_write(kind, outcome);
}

void Meter::retried(std::string_view kind) {
  retries_.fetch_add(1, kRelaxed);
  if (host_ != nullptr) host_->on_retry(kind);
}

Meter::Counts Meter::counts() const {
  return {.applied = applied_.load(kRelaxed),
          .unchanged = unchanged_.load(kRelaxed),
          .conflicts = conflicts_.load(kRelaxed),
          .refused = refused_.load(kRelaxed),
          .retries = retries_.load(kRelaxed),
          .repeated_requests = repeated_.load(kRelaxed)};
}

}  // namespace holdfast
