#pragma once

// Thread safety: values and functions without state; any thread.

#include <optional>
#include <string>

#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge.h>

namespace holdfast {

/// Where an edge is moved to; what is absent stays as it is.
struct EdgeMove {
  std::optional<EntityId> source{};
  std::optional<std::string> relation{};
  std::optional<EntityId> target{};
  /// An inner absence opens that end of the validity.
  std::optional<std::optional<Timestamp>> valid_from{};
  std::optional<std::optional<Timestamp>> valid_to{};
  bool operator==(const EdgeMove&) const = default;

  void apply(Edge& edge) const;
  /// Reads the members named like the fields; null opens an end. Throws InvalidArgument.
  static EdgeMove parse(const JsonObject& document);
  std::string to_json() const;
};

}  // namespace holdfast
