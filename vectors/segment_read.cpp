#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include <holdfast/core/error.h>

#include "checksum.h"
#include "file_descriptor.h"
#include "segment_file.h"

namespace holdfast::vectors {
namespace {

/// So large that calls cost nothing, so small that the checksum finds it in the cache.
constexpr std::size_t kReadBytes = std::size_t{1} << 18U;

class Reader {
 public:
  /// Throws NotUsable.
  explicit Reader(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    if (file_.value() < 0) fail(errno == ENOENT ? NotUsable::Kind::missing : kUnreadable, "open");
    struct stat found {};
    if (fstat(file_.value(), &found) != 0) fail(kUnreadable, "look at");
    if (S_ISDIR(found.st_mode)) {
      throw NotUsable{kUnreadable, "it is a folder, which is in the way: remove it"};
    }
    if (!S_ISREG(found.st_mode)) throw NotUsable{kUnreadable, "it is not a file"};
    file_bytes_ = left_ = static_cast<std::uint64_t>(found.st_size);
    posix_fadvise(file_.value(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  std::uint64_t file_bytes() const { return file_bytes_; }

  void read(std::span<char> to) {
    if (to.size() > left_) throw Corrupt("segment file: it ends early");
    left_ -= to.size();
    while (!to.empty()) {
      const ssize_t got = ::read(file_.value(), to.data(), std::min(to.size(), kReadBytes));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(kUnreadable, "read");
      if (got == 0) throw Corrupt("segment file: it ends early");
      checksum_.add(to.first(static_cast<std::size_t>(got)));
      to = to.subspan(static_cast<std::size_t>(got));
    }
  }

  Checksum checksum() const { return checksum_.value(); }

 private:
  static constexpr auto kUnreadable = NotUsable::Kind::unreadable;

  [[noreturn]] static void fail(NotUsable::Kind kind, const char* doing) {
    throw NotUsable{kind, std::string("cannot ") + doing + " it: " + std::strerror(errno)};
  }

  FileDescriptor file_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t left_ = 0;
  StreamedChecksum checksum_;
};

SegmentHeader read_header(Reader& reader) {
  if (reader.file_bytes() < kPreambleBytes) throw Corrupt("segment file: it is too short");
  std::string header(kPreambleBytes, '\0');
  reader.read(header);
  header.resize(header_bytes(header, reader.file_bytes()));
  reader.read(std::span(header).subspan(kPreambleBytes));
  return decode(header, reader.file_bytes());
}

/// The sections as the arrays that they become; nothing in them has been looked at.
struct Sections {
  std::vector<Member> members;
  std::vector<Slot> order;
  std::vector<std::uint64_t> dead;
  AlignedBytes vectors;
  std::vector<Factors> factors;
  std::vector<Slot> strays;
  std::vector<std::int32_t> levels;
  std::vector<std::int32_t> neighbors;
};

template <typename Array>
void read_section(Reader& reader, const SegmentHeader& header, Section section, Array& to) {
  using Element = typename Array::value_type;
  static_assert(std::is_trivially_copyable_v<Element>);
  to.resize(header.bytes_of(section) / sizeof(Element));
  reader.read({reinterpret_cast<char*>(to.data()), to.size() * sizeof(Element)});
}

Sections read_sections(Reader& reader, const SegmentHeader& header) {
  Sections sections;
  read_section(reader, header, Section::members, sections.members);
  read_section(reader, header, Section::order, sections.order);
  read_section(reader, header, Section::dead, sections.dead);
  read_section(reader, header, Section::vectors, sections.vectors);
  read_section(reader, header, Section::factors, sections.factors);
  read_section(reader, header, Section::strays, sections.strays);
  read_section(reader, header, Section::levels, sections.levels);
  read_section(reader, header, Section::neighbors, sections.neighbors);
  const Checksum checksum = reader.checksum();
  Checksum kept;
  reader.read(kept);
  if (checksum != kept) throw Corrupt("segment file: it does not match its checksum");
  return sections;
}

std::unique_ptr<const Segment> make_segment(SegmentHeader&& header, Sections&& sections) {
  const SegmentIdentity& identity = header.identity;
  SegmentParts parts{.contents = {.kinds = std::move(header.kinds),
                                  .members = std::move(sections.members),
                                  .array = VectorArray(identity.dimension, identity.metric,
                                                       identity.form, std::move(sections.vectors),
                                                       std::move(sections.factors)),
                                  .cursor = header.cursor},
                     .graph = std::nullopt,
                     .dead = SlotBits(std::move(sections.dead)),
                     .order = std::move(sections.order),
                     .strays = std::move(sections.strays)};
  if (header.has_graph) {
    parts.graph.emplace(identity.graph, std::move(sections.levels), std::move(sections.neighbors),
                        header.entry_point);
  }
  return std::make_unique<const Segment>(std::move(parts));
}

LoadedSegment load(Reader& reader, const SegmentIdentity& wanted) {
  SegmentHeader header = read_header(reader);
  if (auto how = difference(header.identity, wanted)) {
    return NotUsable{NotUsable::Kind::other, std::move(*how)};
  }
  Sections sections = read_sections(reader, header);
  return make_segment(std::move(header), std::move(sections));
}

/// What `read` gives, or why it could not.
template <typename Result, typename Read>
std::variant<Result, NotUsable> result_of(Read read) {
  try {
    return read();
  } catch (const NotUsable& reason) {
    return reason;
  } catch (const Unsupported& error) {
    return NotUsable{NotUsable::Kind::other, error.what()};
  } catch (const InvalidArgument& error) {
    // Parameters that no graph is built with.
    return NotUsable{NotUsable::Kind::damaged, error.what()};
  } catch (const Corrupt& error) {
    return NotUsable{NotUsable::Kind::damaged, error.what()};
  }
}

}  // namespace

LoadedSegment load_segment(const std::string& path, const SegmentIdentity& wanted) {
  return result_of<std::unique_ptr<const Segment>>([&] {
    Reader reader(path);
    return load(reader, wanted);
  });
}

std::variant<SegmentLook, NotUsable> look_at_segment(const std::string& path) {
  return result_of<SegmentLook>([&] {
    Reader reader(path);
    auto header = read_header(reader);
    return SegmentLook{.header = std::move(header), .bytes = reader.file_bytes()};
  });
}

}  // namespace holdfast::vectors
