#pragma once

#include <cstddef>
#include <string>

#include <holdfast/core/error.h>

namespace holdfast::vectors {

inline constexpr std::size_t kDimensionMax = 8192;

inline void check_dimension(std::size_t dimension) {
  if (dimension >= 1 && dimension <= kDimensionMax) return;
  throw InvalidArgument("dimension", std::to_string(dimension), "be 1 to 8,192");
}

}  // namespace holdfast::vectors
