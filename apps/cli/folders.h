#pragma once

#include <filesystem>

namespace holdfast::cli {

/// Makes the folders that a new file lies in. What a memory holds is its owner's business: they,
/// and every file that this process makes from then on, are for nobody else.
void make_private_folders(const std::filesystem::path& file);

}  // namespace holdfast::cli
