#pragma once

#include <string>

#include <holdfast/core/json_text.h>

namespace holdfast {

/// Whether a space takes any relation or only declared ones.
enum class RelationPolicy { open, declared };
std::string_view to_string(RelationPolicy policy);

namespace graph {

/// Reads the member "relations" of a space's settings; open when it is absent. Throws
/// InvalidArgument("settings") for anything but "open" and "declared".
RelationPolicy relation_policy(const std::string& settings);

}  // namespace graph
}  // namespace holdfast
