#include <holdfast/graph/policy.h>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>

namespace holdfast {

std::string_view to_string(RelationPolicy policy) {
  return policy == RelationPolicy::open ? "open" : "declared";
}

namespace graph {

RelationPolicy relation_policy(const std::string& settings) {
  // Asked for every edge that is written, and most spaces have no settings.
  if (settings == "{}") return RelationPolicy::open;
  const auto parsed = nlohmann::json::parse(settings);
  const auto found = parsed.find("relations");
  if (found == parsed.end() || *found == "open") return RelationPolicy::open;
  if (*found == "declared") return RelationPolicy::declared;
  throw InvalidArgument("settings.relations", found->dump(), "be \"open\" or \"declared\"");
}

}  // namespace graph
}  // namespace holdfast
