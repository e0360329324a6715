#pragma once

// Catch2 3 and Catch2 2 differ in the name of their header, and in what a matcher for a part of a
// string is called: 3 keeps `Contains` for ranges.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part) { return Contains(part); }
}  // namespace Catch::Matchers
#endif
