#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <holdfast/core/id.h>

namespace holdfast::journal {

/// Namespace of every UUIDv5 that the store itself makes; part of the file format.
/// 8f6d3c52-6b1e-4b0a-9a57-686f6c646661
inline constexpr Uuid kRowNamespace{{0x8f, 0x6d, 0x3c, 0x52, 0x6b, 0x1e, 0x4b, 0x0a, 0x9a, 0x57,
                                     0x68, 0x6f, 0x6c, 0x64, 0x66, 0x61}};

}  // namespace holdfast::journal
