#include "segment_format.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <holdfast/core/error.h>

namespace holdfast::vectors {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");
static_assert(sizeof(Factors) == 12);

/// The first byte is no text; the line ends show a transfer that converts them.
constexpr std::string_view kMagic("\x89HFSEG\r\n", 8);

[[noreturn]] void refuse(const std::string& what) { throw Corrupt("segment file: " + what); }

class Encoder {
 public:
  template <typename T>
  void number(T value) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    out_.append(bytes.data(), bytes.size());
  }
  template <std::size_t N>
  void bytes(const std::array<std::uint8_t, N>& value) {
    for (const std::uint8_t byte : value) number(byte);
  }
  void text(const char* field, const std::string& value) {
    if (value.size() > kIdentityTextBytesMax) {
      throw InvalidArgument(field, value, "be at most 1,024 bytes");
    }
    number(static_cast<std::uint16_t>(value.size()));
    out_ += value;
  }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

/// Gives what lies in some bytes, one after another. Throws Corrupt when they end.
class Decoder {
 public:
  explicit Decoder(std::span<const char> in) : in_(in) {}

  template <typename T>
  T number() {
    T value;
    const auto from = take(sizeof(T));
    std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  template <std::size_t N>
  std::array<std::uint8_t, N> bytes() {
    std::array<std::uint8_t, N> value;
    const auto from = take(N);
    std::memcpy(value.data(), from.data(), N);
    return value;
  }
  std::string text() {
    const auto length = number<std::uint16_t>();
    if (length > kIdentityTextBytesMax) refuse("a text of the header is too long");
    const auto from = take(length);
    return {from.begin(), from.end()};
  }
  void zero(std::size_t count) {
    for (const char byte : take(count)) {
      if (byte != 0) refuse("the header holds something where there is nothing");
    }
  }
  bool at_end() const { return in_.empty(); }

 private:
  std::span<const char> take(std::size_t count) {
    if (count > in_.size()) refuse("the header ends early");
    const auto taken = in_.first(count);
    in_ = in_.subspan(count);
    return taken;
  }

  std::span<const char> in_;
};

/// What is frozen is the number, not the enumerator.
constexpr std::array kMetrics{Metric::cosine, Metric::ip, Metric::l2};
constexpr std::array kForms{Form::codes, Form::floats};

template <typename List, typename Value>
std::uint8_t number_of(const List& list, Value value) {
  return static_cast<std::uint8_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

template <typename List>
auto value_of(const List& list, std::uint8_t number, const char* what) {
  if (number >= list.size()) refuse(std::string(what) + " is unknown");
  return list[number];
}

std::uint64_t sum_of(const std::array<std::uint64_t, kSections>& bytes, std::uint64_t file_bytes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t each : bytes) {
    if (each > file_bytes) refuse("a section is longer than the file");
    sum += each;
  }
  return sum;
}

/// The lengths that follow from the number of slots; what is left is for the segment to judge.
void check_sections(const SegmentHeader& header) {
  const std::uint64_t slots = header.slots;
  if (slots > std::numeric_limits<std::int32_t>::max()) refuse("too many slots");
  const std::uint64_t component = header.identity.form == Form::codes ? 1 : sizeof(float);
  const std::uint64_t graph_slots = header.has_graph ? slots : 0;
  const bool match =
      header.bytes_of(Section::members) == slots * sizeof(Member) &&
      header.bytes_of(Section::order) % sizeof(Slot) == 0 &&
      header.bytes_of(Section::dead) == (slots + 63) / 64 * sizeof(std::uint64_t) &&
      header.bytes_of(Section::vectors) == slots * header.identity.dimension * component &&
      header.bytes_of(Section::factors) == slots * sizeof(Factors) &&
      header.bytes_of(Section::strays) % sizeof(Slot) == 0 &&
      header.bytes_of(Section::levels) == graph_slots * sizeof(std::int32_t) &&
      header.bytes_of(Section::neighbors) % sizeof(std::int32_t) == 0 &&
      (header.has_graph || header.bytes_of(Section::neighbors) == 0);
  if (!match) refuse("the sections are not as long as its slots need");
}

void encode_identity(Encoder& out, const SegmentHeader& header) {
  const SegmentIdentity& identity = header.identity;
  out.bytes(identity.key.space.bytes);
  out.bytes(identity.signature);
  out.number(identity.key.generation);
  out.number(header.cursor);
  out.number(static_cast<std::uint32_t>(identity.dimension));
  out.number(number_of(kMetrics, identity.metric));
  out.number(number_of(kForms, identity.form));
  out.number(static_cast<std::uint8_t>(header.has_graph ? 1 : 0));
  out.number(std::uint8_t{0});
  out.number(static_cast<std::uint32_t>(identity.graph.m));
  out.number(static_cast<std::uint32_t>(identity.graph.ef_construction));
  out.number(identity.graph.seed);
}

int small_number(Decoder& in) {
  const auto value = in.number<std::uint32_t>();
  if (value > std::numeric_limits<std::int32_t>::max()) refuse("a parameter is out of range");
  return static_cast<int>(value);
}

void decode_identity(Decoder& in, SegmentHeader& header) {
  SegmentIdentity& identity = header.identity;
  identity.key.space.bytes = in.bytes<16>();
  identity.signature = in.bytes<32>();
  identity.key.generation = in.number<std::int64_t>();
  header.cursor = in.number<std::int64_t>();
  identity.dimension = in.number<std::uint32_t>();
  if (identity.dimension < 1 || identity.dimension > kSegmentDimensionMax) {
    refuse("its dimension is out of range");
  }
  identity.metric = value_of(kMetrics, in.number<std::uint8_t>(), "its metric");
  identity.form = value_of(kForms, in.number<std::uint8_t>(), "its form");
  const auto has_graph = in.number<std::uint8_t>();
  if (has_graph > 1) refuse("whether it has a graph is unclear");
  header.has_graph = has_graph == 1;
  in.zero(1);
  identity.graph.m = small_number(in);
  identity.graph.ef_construction = small_number(in);
  identity.graph.seed = in.number<std::uint64_t>();
}

std::string digits(const HnswParameters& graph) {
  return "m " + std::to_string(graph.m) + ", ef_construction " +
         std::to_string(graph.ef_construction) + ", seed " + std::to_string(graph.seed);
}

}  // namespace

std::string encode(const SegmentHeader& header) {
  Encoder out;
  out.out() += kMagic;
  out.number(kSegmentVersion);
  const std::size_t lengths_at = out.out().size();
  out.number(std::uint32_t{0});
  out.number(std::uint64_t{0});
  encode_identity(out, header);
  out.number(header.slots);
  out.number(header.entry_point);
  out.number(std::uint32_t{0});
  for (const std::uint64_t bytes : header.section_bytes) out.number(bytes);
  out.text("database", header.identity.database);
  out.text("model", header.identity.key.model);
  out.number(static_cast<std::uint16_t>(header.kinds.size()));
  for (const std::string& kind : header.kinds) out.text("kind", kind);

  const auto bytes = static_cast<std::uint32_t>(out.out().size() + kChecksumBytes);
  const std::uint64_t file_bytes =
      std::accumulate(header.section_bytes.begin(), header.section_bytes.end(),
                      std::uint64_t{bytes} + kChecksumBytes);
  std::memcpy(out.out().data() + lengths_at, &bytes, sizeof(bytes));
  std::memcpy(out.out().data() + lengths_at + sizeof(bytes), &file_bytes, sizeof(file_bytes));
  const Checksum checksum = checksum_of(out.out());
  out.out().append(checksum.data(), checksum.size());
  return std::move(out.out());
}

std::size_t header_bytes(std::span<const char> preamble, std::uint64_t file_bytes) {
  Decoder in(preamble);
  for (const char byte : kMagic) {
    if (in.number<char>() != byte) refuse("it does not begin as one");
  }
  const auto version = in.number<std::uint32_t>();
  if (version != kSegmentVersion) {
    throw Unsupported("segment file: it is of format version " + std::to_string(version) +
                      ", where this program reads " + std::to_string(kSegmentVersion));
  }
  const auto bytes = in.number<std::uint32_t>();
  if (bytes < kPreambleBytes + kChecksumBytes || bytes > kHeaderBytesMax || bytes > file_bytes) {
    refuse("its header's length is out of range");
  }
  if (in.number<std::uint64_t>() != file_bytes) refuse("it is not as long as it says");
  return bytes;
}

SegmentHeader decode(std::span<const char> header, std::uint64_t file_bytes) {
  const auto text = header.first(header.size() - kChecksumBytes);
  const Checksum checksum = checksum_of(text);
  if (!std::equal(checksum.begin(), checksum.end(), header.end() - kChecksumBytes)) {
    refuse("its header does not match its checksum");
  }
  Decoder in(text.subspan(kPreambleBytes));
  SegmentHeader decoded;
  decode_identity(in, decoded);
  decoded.slots = in.number<std::uint64_t>();
  decoded.entry_point = in.number<std::int32_t>();
  in.zero(sizeof(std::uint32_t));
  for (std::uint64_t& bytes : decoded.section_bytes) bytes = in.number<std::uint64_t>();
  decoded.identity.database = in.text();
  decoded.identity.key.model = in.text();
  const auto kinds = in.number<std::uint16_t>();
  if (kinds > kKindsMax) refuse("it has too many kinds");
  for (std::size_t i = 0; i < kinds; ++i) decoded.kinds.push_back(in.text());
  if (!in.at_end()) refuse("its header goes on behind its end");
  check_sections(decoded);
  if (header.size() + sum_of(decoded.section_bytes, file_bytes) + kChecksumBytes != file_bytes) {
    refuse("its sections are not as long as the file");
  }
  return decoded;
}

std::optional<std::string> difference(const SegmentIdentity& file, const SegmentIdentity& wanted) {
  if (file.database != wanted.database) {
    return "it is of another database, or of another state of this one";
  }
  if (file.key.space != wanted.key.space) return "it is of another space";
  if (file.key.model != wanted.key.model) return "it is of another model, " + file.key.model;
  if (file.key.generation != wanted.key.generation) {
    return "it is of generation " + std::to_string(file.key.generation);
  }
  if (file.signature != wanted.signature) return "it is of another declaration of the model";
  if (file.dimension != wanted.dimension || file.metric != wanted.metric) {
    return "its vectors have dimension " + std::to_string(file.dimension) + " and metric " +
           std::string(to_string(file.metric));
  }
  if (file.form != wanted.form) return "its vectors are kept in another form";
  if (file.graph != wanted.graph) return "its graph is built with " + digits(file.graph);
  return std::nullopt;
}

}  // namespace holdfast::vectors
