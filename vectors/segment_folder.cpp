#include "segment_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>

namespace holdfast::vectors {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".segment";
constexpr std::string_view kTemporaryEnding = ".segment.tmp";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kReadable = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::size_t kReadableMax = 32;
constexpr std::size_t kDigestBytes = 16;

[[noreturn]] void fail(const fs::path& path, const char* doing, const std::error_code& error) {
  const std::string text = "segments: " + path.string() + ": cannot " + doing + ": " +
                           error.message();
  if (error == std::errc::no_space_on_device) throw Full(text);
  throw Unavailable(text);
}

/// Lower case, without what a file system or a shell might take for something else.
std::string readable(std::string_view model) {
  std::string name;
  for (char each : model.substr(0, kReadableMax)) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    name += kReadable.find(each) != std::string_view::npos ? each : '_';
  }
  return name;
}

bool consists_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

/// READABLE-DIGEST-GENERATION, as path_of() makes it.
bool is_stem(std::string_view stem) {
  const std::size_t generation_at = stem.rfind('-');
  if (generation_at == std::string_view::npos || generation_at == 0) return false;
  const std::size_t digest_at = stem.rfind('-', generation_at - 1);
  if (digest_at == std::string_view::npos) return false;
  const std::string_view digest = stem.substr(digest_at + 1, generation_at - digest_at - 1);
  const std::string_view name = stem.substr(0, digest_at);
  return consists_of(stem.substr(generation_at + 1), kDigits) &&
         digest.size() == 2 * kDigestBytes && consists_of(digest, kHexDigits) &&
         name.size() <= kReadableMax && (name.empty() || consists_of(name, kReadable));
}

bool is_ours(std::string_view name, std::string_view ending) {
  return name.ends_with(ending) && is_stem(name.substr(0, name.size() - ending.size()));
}

}  // namespace

SegmentFolder::SegmentFolder(const fs::path& database, const core::Faults& faults)
    : database_(database), path_(database.string() + "-vectors"), faults_(faults) {}

fs::path SegmentFolder::path_of(const SegmentKey& key) const {
  std::string hashed(key.space.bytes.begin(), key.space.bytes.end());
  hashed += key.model;
  const auto digest = core::sha256(hashed);
  const std::string_view kept(reinterpret_cast<const char*>(digest.data()), kDigestBytes);
  return path_ / (readable(key.model) + "-" + core::to_hex(kept) + "-" +
                  std::to_string(key.generation) + std::string(kEnding));
}

LoadedSegment SegmentFolder::load(const SegmentIdentity& wanted) const {
  return load_segment(path_of(wanted.key).string(), wanted);
}

/// As SQLite does with the files beside a database: theirs are the database's own permissions.
bool SegmentFolder::write(const SegmentIdentity& identity, const Segment& segment) const {
  make();
  struct stat database {};
  const bool is_known = stat(database_.c_str(), &database) == 0;
  const unsigned mode = is_known ? (database.st_mode & 0666U) | S_IWUSR : 0600U;
  return write_segment(path_of(identity.key).string(), mode, identity, segment, faults_);
}

void SegmentFolder::make() const {
  struct stat database {};
  unsigned mode = stat(database_.c_str(), &database) == 0 ? database.st_mode & 0666U : 0U;
  mode |= 0600U;
  mode |= (mode & 0444U) >> 2U;  // who may read may look in
  if (mkdir(path_.c_str(), S_IRWXU) != 0) {
    if (errno == EEXIST) return;
    fail(path_, "make the folder", {errno, std::generic_category()});
  }
  if (chmod(path_.c_str(), mode) != 0) {
    fail(path_, "set the mode", {errno, std::generic_category()});
  }
  const fs::path parent = path_.parent_path();
  sync_folder(parent.empty() ? "." : parent.string());
}

std::vector<SegmentFolder::File> SegmentFolder::list() const {
  std::vector<File> files;
  std::error_code error;
  fs::directory_iterator at(path_, error);
  if (error == std::errc::no_such_file_or_directory) return files;
  if (error) fail(path_, "read the folder", error);
  for (const fs::directory_iterator end; at != end; at.increment(error)) {
    if (error) fail(path_, "read the folder", error);
    const std::string name = at->path().filename().string();
    const bool is_temporary = is_ours(name, kTemporaryEnding);
    std::error_code gone;
    if (!is_temporary && !is_ours(name, kEnding)) continue;
    if (at->symlink_status(gone).type() != fs::file_type::regular) continue;
    const std::uint64_t bytes = at->file_size(gone);
    if (!gone) files.push_back({name, bytes, is_temporary});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

std::size_t SegmentFolder::remove_others(std::span<const SegmentKey> kept) const {
  std::set<std::string> names;
  for (const SegmentKey& key : kept) names.insert(path_of(key).filename().string());
  std::size_t removed = 0;
  for (const File& file : list()) {
    if (file.is_temporary || names.contains(file.name)) continue;
    std::error_code error;
    if (fs::remove(path_ / file.name, error)) ++removed;
    if (error) fail(path_ / file.name, "remove it", error);
  }
  return removed + remove_leftovers();
}

std::size_t SegmentFolder::remove_leftovers() const {
  std::size_t removed = 0;
  for (const File& file : list()) {
    if (!file.is_temporary) continue;
    const std::size_t stem = file.name.size() - (kTemporaryEnding.size() - kEnding.size());
    if (remove_temporary((path_ / file.name.substr(0, stem)).string())) ++removed;
  }
  return removed;
}

}  // namespace holdfast::vectors
