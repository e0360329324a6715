#pragma once

// Thread safety: values and functions without state; any thread.

#include <string_view>

/// The version of these headers, by the rules of semver.org. The build reads it from here.
#define HOLDFAST_VERSION_MAJOR 0
#define HOLDFAST_VERSION_MINOR 5
#define HOLDFAST_VERSION_PATCH 0

namespace holdfast {

/// The version of the library that is linked, as "0.4.0"; other than the headers' when a program
/// was built against another one.
std::string_view library_version();

}  // namespace holdfast
