#pragma once

#include <memory>
#include <string>

#include <holdfast/storage/database.h>

#include "connection.h"
#include "lock_file.h"

namespace holdfast::storage::sqlite {

/// Where a database and its lock lie, after links are resolved: two names of one file must not get
/// two locks.
struct Place {
  std::string database;
  std::filesystem::path lock;
};
Place resolve(const Options& options);

/// Throws Unsupported for a file that is not ours, having changed nothing, and NotFound when there
/// is none and none may be created.
void look_before_opening(const Options& options, const Place& place);

/// True when the write-ahead log holds anything.
bool log_has_content(const Options& options, const Place& place);

/// Throws Unsupported for a file that only newer code may write.
void require_writable_schema(SqliteConnection& connection, const std::string& path);

/// Opens the one write connection: under the writer's lock, creates or migrates, and checks that
/// what was asked for is in force.
std::unique_ptr<SqliteConnection> open_for_writing(const Options& options, const Place& place,
                                                   LockFile& lock);

}  // namespace holdfast::storage::sqlite
