#pragma once

#include <filesystem>
#include <string>

#include <holdfast/core/environment.h>
#include <holdfast/storage/database.h>

#include "connection.h"

namespace holdfast::storage::sqlite {

/// Copies what `source`, which is in a read transaction, sees; `source_path` is its file. As
/// Database::backup says.
bool write_backup(SqliteConnection& source, const std::string& source_path,
                  const std::filesystem::path& to, const BackupControl& control,
                  core::Environment& environment);

}  // namespace holdfast::storage::sqlite
