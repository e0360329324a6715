#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::vectors {

/// The loops that a search spends its time in, for the instruction set that this machine has. They
/// are chosen once, before main(). One machine gives one answer to the last bit; another may round
/// sums of floats otherwise. Sums of codes are exact for up to 8,192 components.
/// Thread safety: any thread.
struct Kernels {
  const char* name;  ///< of the instruction set
  float (*dot)(const float* a, const float* b, std::size_t count);
  float (*squared_l2)(const float* a, const float* b, std::size_t count);
  /// Sum of the products of unsigned and signed bytes.
  std::int32_t (*dot_codes)(const std::uint8_t* a, const std::int8_t* b, std::size_t count);
  /// The same with each b less 128.
  std::int32_t (*dot_code_pair)(const std::uint8_t* a, const std::uint8_t* b, std::size_t count);
};

extern const Kernels kernels;

/// Those that run anywhere; tests hold the others against them.
extern const Kernels portable_kernels;

}  // namespace holdfast::vectors
