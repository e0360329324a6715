#include "support.h"

#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace holdfast::bench {
namespace {

struct FileSystem {
  unsigned long magic;  ///< statfs(2)'s f_type
  const char* name;
  bool is_memory;
};

constexpr std::array kFileSystems = {
    FileSystem{0xEF53, "ext4", false},         FileSystem{0x9123683E, "btrfs", false},
    FileSystem{0x58465342, "xfs", false},      FileSystem{0xF2F52010, "f2fs", false},
    FileSystem{0x2FC12FC1, "zfs", false},      FileSystem{0x794C7630, "overlay", false},
    FileSystem{0x01021994, "tmpfs", true},     FileSystem{0x858458F6, "ramfs", true},
};

FileSystem file_system_of(const std::filesystem::path& folder) {
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) return {0, "unreadable", true};
  for (const FileSystem& known : kFileSystems) {
    if (known.magic == static_cast<unsigned long>(status.f_type)) return known;
  }
  return {static_cast<unsigned long>(status.f_type), "other", false};
}

std::filesystem::path choose() {
  std::vector<std::filesystem::path> candidates;
  if (const char* named = std::getenv("TMPDIR")) candidates.emplace_back(named);
  candidates.push_back(std::filesystem::read_symlink("/proc/self/exe").parent_path());
  for (const auto& folder : candidates) {
    if (!file_system_of(folder).is_memory) return folder;
  }
  throw std::runtime_error("no disk under " + candidates.back().string() + ": set TMPDIR");
}

}  // namespace

Folder::Folder() {
  std::string pattern = (choose() / "bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
  file_system_ = file_system_of(path_).name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::bench
