#pragma once

#include <string>
#include <vector>

#include <holdfast/space/stats.h>

/// What spaces are set to and hold, for programs and for people.
namespace holdfast::cli {

std::string to_json(const SpaceInfo& space);
std::string describe(const SpaceInfo& space);
std::string table(const std::vector<SpaceInfo>& spaces);

/// Adds "relations", "rows_max", "bytes_max" and "request_retention_s".
void add_settings(core::JsonWriter& out, const SpaceSettings& settings);
/// Rows, events and requests: what deleting the space removes.
std::string contents_text(const SpaceInfo& space);

}  // namespace holdfast::cli
