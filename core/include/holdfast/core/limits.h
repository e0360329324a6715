#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>

/// Every limit on input, in one place. All sizes are bytes of UTF-8.
namespace holdfast::core {

inline constexpr std::size_t kJsonBytesMax = 1U << 20;
inline constexpr std::size_t kJsonDepthMax = 64;      ///< levels of objects and arrays
inline constexpr std::size_t kNameBytesMax = 1024;    ///< names, kinds, relations, tags, keys
inline constexpr std::size_t kContentBytesMax = 1U << 20;
inline constexpr std::size_t kSpaceNameBytesMax = 64;
inline constexpr std::size_t kActorBytesMax = 256;
inline constexpr std::size_t kRequestIdBytesMax = 256;
inline constexpr std::size_t kPlanStepsMax = 10'000;
inline constexpr std::size_t kTagsMax = 256;
inline constexpr std::size_t kConditionsMax = 32;     ///< conditions on properties, in one filter
inline constexpr std::size_t kPageLimitMax = 10'000;  ///< rows of one page of any list
inline constexpr std::size_t kProjectionsMax = 64;    ///< declared in one space
inline constexpr std::size_t kRebuildBatchMax = 10'000;  ///< sources of one step of a rebuild
inline constexpr std::size_t kTraversalStartsMax = 10'000;
inline constexpr std::size_t kTraversalRelationsMax = 256;
inline constexpr unsigned kTraversalHopsMax = 1000;
inline constexpr std::size_t kTraversalPerHopMax = 10'000'000;      ///< entities found at one hop
inline constexpr std::uint64_t kTraversalEdgesMax = 1'000'000'000;  ///< looked at by one call

/// Open ends of a validity interval, as stored; the API shows them as absent.
inline constexpr std::int64_t kTimeMin = -0x7fffffffffffffff;
inline constexpr std::int64_t kTimeMax = 0x7fffffffffffffff;

}  // namespace holdfast::core
