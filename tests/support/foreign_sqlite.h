#pragma once

#include <filesystem>
#include <string>

namespace holdfast::test {

/// Runs SQL on a SQLite file as another program would, making the file when there is none.
void run_sql(const std::filesystem::path& file, const std::string& sql);

}  // namespace holdfast::test
