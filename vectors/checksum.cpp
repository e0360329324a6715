#include "checksum.h"

#include <cstring>

#define XXH_STATIC_LINKING_ONLY  // the state's size, so that it lives in here
#include <xxhash.h>

namespace holdfast::vectors {
namespace {

Checksum canonical(const XXH128_hash_t& hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Checksum checksum;
  std::memcpy(checksum.data(), bytes.digest, checksum.size());
  return checksum;
}

}  // namespace

struct StreamedChecksum::State {
  XXH3_state_t state;
};

StreamedChecksum::StreamedChecksum() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->state);
}

StreamedChecksum::~StreamedChecksum() = default;

void StreamedChecksum::add(std::span<const char> bytes) {
  XXH3_128bits_update(&state_->state, bytes.data(), bytes.size());
}

Checksum StreamedChecksum::value() const {
  return canonical(XXH3_128bits_digest(&state_->state));
}

Checksum checksum_of(std::span<const char> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

}  // namespace holdfast::vectors
