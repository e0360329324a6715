#include <holdfast/core/random.h>

#include <holdfast/core/error.h>

#include "os_random.h"

#include <sys/random.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>

namespace holdfast::core {

void fill_from_os(void* out, std::size_t bytes) {
  auto* next = static_cast<unsigned char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::getrandom(next, bytes, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Unavailable(std::string("getrandom: ") + std::strerror(errno));
    }
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

std::uint64_t Random::fresh_seed() {
  std::uint64_t seed;
  fill_from_os(&seed, sizeof seed);
  return seed;
}

std::uint64_t Random::next() {
  const std::lock_guard lock(mutex_);
  return engine_();
}

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  // 2^64 is no multiple of most bounds: the first (2^64 mod bound) values would come up once too
  // often, so they are drawn again.
  const std::uint64_t surplus = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t drawn = next();
    if (drawn >= surplus) return drawn % bound;
  }
}

}  // namespace holdfast::core
