#pragma once

#include <cstddef>

namespace holdfast::core {

/// Fills the buffer from the operating system's generator. Throws Unavailable.
void fill_from_os(void* out, std::size_t bytes);

}  // namespace holdfast::core
