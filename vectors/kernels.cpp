#include "kernels.h"

// Chosen by hand rather than by target_clones: GCC 12 has no clone for VNNI that other makers'
// processors would take, clang 14 does not find the instruction by itself, and clones crash under
// ThreadSanitizer.
#if defined(__x86_64__)
#include <immintrin.h>
#define HOLDFAST_AVX2 __attribute__((target("avx2,fma")))
#define HOLDFAST_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define HOLDFAST_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")))
#endif

namespace holdfast::vectors {
namespace {

// Each loop is written once and inlined into one function for each instruction set.
#define HOLDFAST_LOOP __attribute__((always_inline)) inline

HOLDFAST_LOOP float dot_loop(const float* a, const float* b, std::size_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

HOLDFAST_LOOP float squared_l2_loop(const float* a, const float* b, std::size_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

HOLDFAST_LOOP std::int32_t dot_codes_loop(const std::uint8_t* a, const std::int8_t* b,
                                          std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
  }
  return sum;
}

HOLDFAST_LOOP std::int32_t dot_code_pair_loop(const std::uint8_t* a, const std::uint8_t* b,
                                              std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<std::int32_t>(a[i]) * (static_cast<std::int32_t>(b[i]) - 128);
  }
  return sum;
}

#define HOLDFAST_KERNELS(set, attributes)                                                   \
  attributes float dot_##set(const float* a, const float* b, std::size_t count) {           \
    return dot_loop(a, b, count);                                                           \
  }                                                                                         \
  attributes float squared_l2_##set(const float* a, const float* b, std::size_t count) {    \
    return squared_l2_loop(a, b, count);                                                    \
  }
#define HOLDFAST_CODE_KERNELS(set, attributes)                                              \
  attributes std::int32_t dot_codes_##set(const std::uint8_t* a, const std::int8_t* b,      \
                                          std::size_t count) {                              \
    return dot_codes_loop(a, b, count);                                                     \
  }                                                                                         \
  attributes std::int32_t dot_code_pair_##set(const std::uint8_t* a, const std::uint8_t* b, \
                                              std::size_t count) {                          \
    return dot_code_pair_loop(a, b, count);                                                 \
  }

HOLDFAST_KERNELS(portable, )
HOLDFAST_CODE_KERNELS(portable, )

#if defined(__x86_64__)
HOLDFAST_KERNELS(avx2, HOLDFAST_AVX2)
HOLDFAST_CODE_KERNELS(avx2, HOLDFAST_AVX2)
HOLDFAST_KERNELS(avx512, HOLDFAST_AVX512)

HOLDFAST_VNNI __mmask64 rest_mask(std::size_t rest) {
  return _cvtu64_mask64((std::uint64_t{1} << rest) - 1);
}

HOLDFAST_VNNI std::int32_t dot_codes_vnni(const std::uint8_t* a, const std::int8_t* b,
                                          std::size_t count) {
  __m512i even = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 128 <= count; i += 128) {
    even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
    odd = _mm512_dpbusd_epi32(odd, _mm512_loadu_si512(a + i + 64),
                              _mm512_loadu_si512(b + i + 64));
  }
  if (i + 64 <= count) {
    even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
    i += 64;
  }
  if (i < count) {
    const __mmask64 mask = rest_mask(count - i);
    odd = _mm512_dpbusd_epi32(odd, _mm512_maskz_loadu_epi8(mask, a + i),
                              _mm512_maskz_loadu_epi8(mask, b + i));
  }
  return _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
}

HOLDFAST_VNNI std::int32_t dot_code_pair_vnni(const std::uint8_t* a, const std::uint8_t* b,
                                              std::size_t count) {
  // A byte less 128 is the same byte with its top bit turned.
  const __m512i top = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i even = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 128 <= count; i += 128) {
    even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(a + i),
                               _mm512_xor_si512(top, _mm512_loadu_si512(b + i)));
    odd = _mm512_dpbusd_epi32(odd, _mm512_loadu_si512(a + i + 64),
                              _mm512_xor_si512(top, _mm512_loadu_si512(b + i + 64)));
  }
  if (i + 64 <= count) {
    even = _mm512_dpbusd_epi32(even, _mm512_loadu_si512(a + i),
                               _mm512_xor_si512(top, _mm512_loadu_si512(b + i)));
    i += 64;
  }
  if (i < count) {
    // Beyond the end a is 0, so that whatever stands for b counts nothing.
    const __mmask64 mask = rest_mask(count - i);
    odd = _mm512_dpbusd_epi32(odd, _mm512_maskz_loadu_epi8(mask, a + i),
                              _mm512_xor_si512(top, _mm512_maskz_loadu_epi8(mask, b + i)));
  }
  return _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
}
#endif

constexpr Kernels kPortable{"portable", dot_portable, squared_l2_portable, dot_codes_portable,
                            dot_code_pair_portable};

Kernels choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")) {
    return {"avx512vnni", dot_avx512, squared_l2_avx512, dot_codes_vnni, dot_code_pair_vnni};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {"avx2", dot_avx2, squared_l2_avx2, dot_codes_avx2, dot_code_pair_avx2};
  }
#endif
  return kPortable;
}

}  // namespace

const Kernels portable_kernels = kPortable;
const Kernels kernels = choose();

}  // namespace holdfast::vectors
