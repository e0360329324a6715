#pragma once

#include <string>

#include <holdfast/storage/database.h>

namespace holdfast::cli {

std::string to_json(const storage::DatabaseInfo& info);
std::string describe(const storage::DatabaseInfo& info);

}  // namespace holdfast::cli
