#include "top_sources.h"

#include <algorithm>

namespace holdfast::vectors {
namespace {

bool is_before(float distance, const Member& member, const Hit& other) {
  if (distance != other.distance) return distance < other.distance;
  return member < other.member;
}

}  // namespace

bool TopSources::would_take(float distance, const Member& member) const {
  return !is_full() || is_before(distance, member, hits_.back());
}

void TopSources::offer(const Hit& hit) {
  if (!would_take(hit.distance, hit.member)) return;
  const auto same = std::find_if(hits_.begin(), hits_.end(), [&](const Hit& other) {
    return source_of(other.member) == source_of(hit.member);
  });
  if (same != hits_.end()) {
    if (!is_before(hit.distance, hit.member, *same)) return;
    hits_.erase(same);
  }
  const auto at = std::partition_point(hits_.begin(), hits_.end(), [&](const Hit& other) {
    return !is_before(hit.distance, hit.member, other);
  });
  hits_.insert(at, hit);
  if (hits_.size() > count_) hits_.pop_back();
}

}  // namespace holdfast::vectors
