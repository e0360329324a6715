#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "connection.h"

namespace holdfast::storage::sqlite {

/// "hold" in the file's header: what makes a SQLite file ours.
inline constexpr std::int64_t kApplicationId = 0x686f6c64;
inline constexpr std::string_view kApplicationBytes = "hold";
/// The newest schema this code knows.
inline constexpr std::int64_t kSchemaVersion = 5;

struct SchemaVersion {
  std::int64_t version = 0;  ///< 0: the file is ours and holds nothing yet
  std::int64_t min_writer = 0;
};
SchemaVersion read_schema_version(SqliteConnection& connection);

/// Runs the migrations that the file lacks, each in one transaction. The caller holds the writer's
/// lock.
void migrate(SqliteConnection& connection);

/// Tables, indexes and the like that are missing, extra or other than the migrations make them,
/// one line each. Says nothing of a file that newer code has migrated.
std::vector<std::string> check_schema(SqliteConnection& connection);

}  // namespace holdfast::storage::sqlite
