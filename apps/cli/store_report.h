#pragma once

#include <map>
#include <string>

#include <holdfast/space/stats.h>
#include <holdfast/storage/database.h>

namespace holdfast::cli {

std::string to_json(const storage::DatabaseInfo& info);
std::string describe(const storage::DatabaseInfo& info);

std::string to_json(const StoreStats& stats);
/// Fields that go on below those of the database.
std::string describe(const StoreStats& stats);

/// Bytes of one row on average, by its kind.
std::string sizes_json(const std::map<std::string, double>& sizes);
std::string describe_sizes(const std::map<std::string, double>& sizes);

}  // namespace holdfast::cli
