#pragma once

#include <map>
#include <string>

#include <holdfast/space/stats.h>
#include <holdfast/storage/database.h>

namespace holdfast::cli {

using RowSizes = std::map<std::string, double>;  ///< bytes of one row on average, by its kind

std::string to_json(const storage::DatabaseInfo& info);
std::string to_json(const StoreStats& stats);
std::string to_json(const RowSizes& sizes);

std::string describe(const storage::DatabaseInfo& info, const StoreStats& stats,
                     const RowSizes& sizes);

}  // namespace holdfast::cli
