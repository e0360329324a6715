#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <holdfast/core/error.h>

#include "checksum.h"
#include "file_descriptor.h"
#include "segment_file.h"

namespace holdfast::vectors {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;

[[noreturn]] void fail(const std::string& path, const char* doing) {
  const std::string text =
      "segment file: " + path + ": cannot " + doing + ": " + std::strerror(errno);
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) throw Full(text);
  throw Unavailable(text);
}

/// The temporary file, locked, so that no other writer, and none that clears up, touches it. The
/// lock goes with the process. Removed at the end unless it was moved.
class Temporary {
 public:
  /// Null when another writer has it.
  static std::unique_ptr<Temporary> take(const std::string& path) {
    constexpr int kAttempts = 16;
    for (int i = 0; i < kAttempts; ++i) {
      const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
      auto file = std::make_unique<FileDescriptor>(open(path.c_str(), flags, S_IRUSR | S_IWUSR));
      if (file->value() < 0) fail(path, "open");
      if (flock(file->value(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return nullptr;
        fail(path, "lock");
      }
      // Its last holder may have moved or removed it between the two.
      if (is_at(file->value(), path)) {
        return std::unique_ptr<Temporary>(new Temporary(path, std::move(file)));
      }
    }
    return nullptr;
  }

  ~Temporary() {
    if (!is_moved_) unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return file_->value(); }
  const std::string& path() const { return path_; }

  void clear(unsigned mode) const {
    if (ftruncate(descriptor(), 0) != 0) fail(path_, "empty");
    if (fchmod(descriptor(), mode) != 0) fail(path_, "set the mode");
  }

  void move_to(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) fail(path, "replace");
    is_moved_ = true;
  }

 private:
  Temporary(std::string path, std::unique_ptr<FileDescriptor> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  static bool is_at(int descriptor, const std::string& path) {
    struct stat open_one {};
    struct stat named {};
    return fstat(descriptor, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
           open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
  }

  const std::string path_;
  std::unique_ptr<FileDescriptor> file_;
  bool is_moved_ = false;
};

class Output {
 public:
  explicit Output(const Temporary& file) : file_(file) {}

  void write(std::span<const char> bytes) {
    checksum_.add(bytes);
    while (!bytes.empty()) {
      const ssize_t done =
          ::write(file_.descriptor(), bytes.data(), std::min(bytes.size(), kWriteBytes));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail(file_.path(), "write");
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }
  template <typename T>
  void write_all(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  Checksum checksum() const { return checksum_.value(); }

 private:
  const Temporary& file_;
  StreamedChecksum checksum_;
};

SegmentHeader header_of(const SegmentIdentity& identity, const Segment& segment) {
  const HnswGraph* const graph = segment.graph();
  const VectorArray& array = segment.array();
  return {.identity = identity,
          .cursor = segment.cursor(),
          .kinds = segment.kinds(),
          .slots = segment.size(),
          .has_graph = graph != nullptr,
          .entry_point = graph != nullptr ? graph->raw_entry_point() : -1,
          .section_bytes = {segment.size() * sizeof(Member), segment.order().size_bytes(),
                            segment.dead().words().size_bytes(), array.raw_vectors().size_bytes(),
                            array.raw_factors().size_bytes(), segment.strays().size_bytes(),
                            graph != nullptr ? graph->raw_levels().size_bytes() : 0,
                            graph != nullptr ? graph->raw_neighbors().size_bytes() : 0}};
}

/// In parts: what lies between a member's fields is not written as it happens to be.
void write_members(Output& out, const Segment& segment) {
  constexpr std::size_t kMembers = 4'096;
  std::vector<char> part;
  for (std::size_t first = 0; first < segment.size(); first += kMembers) {
    const std::size_t count = std::min(kMembers, segment.size() - first);
    part.assign(count * sizeof(Member), '\0');
    for (std::size_t i = 0; i < count; ++i) {
      const Member& member = segment.member(static_cast<Slot>(first + i));
      char* const to = part.data() + i * sizeof(Member);
      std::memcpy(to + offsetof(Member, kind), &member.kind, sizeof(member.kind));
      std::memcpy(to + offsetof(Member, id), &member.id, sizeof(member.id));
      std::memcpy(to + offsetof(Member, chunk), &member.chunk, sizeof(member.chunk));
      std::memcpy(to + offsetof(Member, number), &member.number, sizeof(member.number));
    }
    out.write(part);
  }
}

void write_all(Output& out, const SegmentIdentity& identity, const Segment& segment,
               const core::Faults& faults) {
  out.write(encode(header_of(identity, segment)));
  write_members(out, segment);
  out.write_all(segment.order());
  out.write_all(segment.dead().words());
  faults.at("segment_file.partial");
  out.write_all(segment.array().raw_vectors());
  out.write_all(segment.array().raw_factors());
  out.write_all(segment.strays());
  if (const HnswGraph* const graph = segment.graph()) {
    out.write_all(graph->raw_levels());
    out.write_all(graph->raw_neighbors());
  }
  out.write(out.checksum());
}

}  // namespace

std::string temporary_path(const std::string& path) { return path + ".tmp"; }

bool write_segment(const std::string& path, unsigned mode, const SegmentIdentity& identity,
                   const Segment& segment, const core::Faults& faults) {
  const auto file = Temporary::take(temporary_path(path));
  if (!file) return false;
  faults.at("segment_file.before_write");
  file->clear(mode);
  Output out(*file);
  write_all(out, identity, segment, faults);
  faults.at("segment_file.before_sync");
  if (fsync(file->descriptor()) != 0) fail(file->path(), "sync");
  faults.at("segment_file.before_rename");
  file->move_to(path);
  faults.at("segment_file.after_rename");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  sync_folder(folder.empty() ? "." : folder.string());
  return true;
}

bool remove_temporary(const std::string& path) {
  const std::string temporary = temporary_path(path);
  struct stat found {};
  if (lstat(temporary.c_str(), &found) != 0) {
    if (errno == ENOENT) return true;
    fail(temporary, "look at");
  }
  return Temporary::take(temporary) != nullptr;  // which removes it
}

void sync_folder(const std::string& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.value() < 0) fail(path, "open");
  if (fsync(folder.value()) != 0) fail(path, "sync");
}

}  // namespace holdfast::vectors
