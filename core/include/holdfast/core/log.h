#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <memory>

#include <spdlog/fwd.h>

namespace holdfast::core {

/// The library's log: the spdlog logger registered as `holdfast`. A host that registers its own
/// under that name first is used; otherwise warnings and worse go to stderr. Lines carry ids,
/// never contents.
std::shared_ptr<spdlog::logger> log();

}  // namespace holdfast::core
