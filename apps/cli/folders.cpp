#include "folders.h"

#include <sys/stat.h>

#include <holdfast/core/error.h>

namespace holdfast::cli {

void make_private_folders(const std::filesystem::path& file) {
  umask(S_IRWXG | S_IRWXO);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    throw Unavailable("cannot create " + file.parent_path().string() + ": " + error.message());
  }
}

}  // namespace holdfast::cli
