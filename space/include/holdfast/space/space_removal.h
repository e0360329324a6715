#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace holdfast {

/// What deleting a space has removed so far.
struct SpaceRemoval {
  std::map<std::string, std::uint64_t> rows;  ///< by their kind: "entity", "edge", ...
  std::uint64_t events = 0;
  std::uint64_t requests = 0;
  bool complete = false;  ///< nothing of the space is left
  std::uint64_t total() const;
};
/// Called after each transaction. Answering false stops the removal there; running it again goes
/// on.
using RemovalControl = std::function<bool(const SpaceRemoval&)>;

}  // namespace holdfast
