// Writing the segment of an index to a file and reading it back, the checksum and every check of
// what it holds included, beside the floor: the same bytes read into memory and no more.
// --vectors N, --dimension N, --m N.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <holdfast/core/faults.h>

#include "support.h"
#include "vectors/segment_file.h"

namespace holdfast::bench {
namespace {

using namespace holdfast::vectors;

/// Random codes and a random graph: the file and the checks are as large as of a real one.
std::unique_ptr<const Segment> random_segment(std::size_t count, std::size_t dimension, int m) {
  std::mt19937_64 random(1);
  const HnswParameters parameters{.m = m, .ef_construction = 100, .seed = 1};
  AlignedBytes codes(count * dimension);
  std::vector<Factors> factors(count, Factors{.scale = 0.001F, .squared_norm = 1, .sum = 0});
  std::vector<Member> members(count);
  std::vector<std::int32_t> levels(count);
  std::size_t links = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const auto code = static_cast<std::uint8_t>(1 + random() % 255);
      codes[i * dimension + j] = static_cast<std::byte>(code);
      factors[i].sum += code - 128;
    }
    for (std::uint8_t& byte : members[i].id.bytes) byte = static_cast<std::uint8_t>(random());
    members[i].number = static_cast<std::int64_t>(i) + 1;
    levels[i] = i % 16 == 0 && i > 0 ? 2 : 1;
    links += static_cast<std::size_t>((levels[i] + 1) * m);
  }
  levels[0] = 3;
  links += static_cast<std::size_t>(2 * m);
  std::vector<std::int32_t> neighbors;
  neighbors.reserve(links);
  for (const std::int32_t on : levels) {
    for (int i = 0; i < 2 * m; ++i) {
      neighbors.push_back(static_cast<std::int32_t>(random() % count));
    }
    for (int i = 0; i < (on - 1) * m; ++i) neighbors.push_back(on == 2 ? 0 : -1);
  }
  SegmentParts parts{.contents = {.kinds = {"entity"},
                                  .members = std::move(members),
                                  .array = VectorArray(dimension, Metric::cosine, Form::codes,
                                                       std::move(codes), std::move(factors)),
                                  .cursor = 1},
                     .graph = HnswGraph(parameters, std::move(levels), std::move(neighbors), 0),
                     .dead = SlotBits(count),
                     .order = {},
                     .strays = {}};
  for (Slot slot = 0; slot < count; ++slot) parts.order.push_back(slot);
  std::sort(parts.order.begin(), parts.order.end(), [&](Slot a, Slot b) {
    return parts.contents.members[a] < parts.contents.members[b];
  });
  return std::make_unique<const Segment>(std::move(parts));
}

/// What reading costs without any care for what is read.
void read_whole(const std::string& path) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "cannot open the file");
  const auto bytes = static_cast<std::size_t>(lseek(file, 0, SEEK_END));
  lseek(file, 0, SEEK_SET);
  const std::unique_ptr<char[]> memory(new char[bytes]);
  for (std::size_t at = 0; at < bytes;) {
    const ssize_t got = read(file, memory.get() + at, std::min(kAtOnce, bytes - at));
    require(got > 0, "cannot read the file");
    at += static_cast<std::size_t>(got);
  }
  close(file);
}

Measurement begin(const char* name, const char* operation, const char* floor_is) {
  return {.bench = "segment",
          .name = name,
          .operation = operation,
          .floor_is = floor_is,
          .target = {},
          .cpu_target = {},
          .ours = {},
          .floor = {},
          .also = {}};
}

void run(const Arguments& arguments) {
  const Folder folder;
  const std::string path = folder.file("index.segment").string();
  const auto segment = random_segment(arguments["vectors"], arguments["dimension"],
                                      static_cast<int>(arguments["m"]));
  const SegmentIdentity identity{.key = {.space = {}, .model = "m", .generation = 1},
                                 .database = {},
                                 .signature = {},
                                 .dimension = segment->array().dimension(),
                                 .metric = segment->array().metric(),
                                 .form = segment->array().form(),
                                 .graph = segment->graph()->parameters()};
  const core::Faults faults;
  Measurement loads = begin("load", "load", "the same bytes read into memory");
  for (std::size_t round = 0; round < arguments["rounds"]; ++round) {
    const Cost write = measure(1, Cpu::thread, [&] {
      require(write_segment(path, 0600, identity, *segment, faults), "it was not written");
    });
    loads.also.assign({{"write_us", write.wall_us}});
    loads.floor.push_back(measure(1, Cpu::thread, [&] { read_whole(path); }));
    loads.ours.push_back(measure(1, Cpu::thread, [&] {
      const auto loaded = load_segment(path, identity);
      require(loaded.index() == 0, "it was not usable");
    }));
  }
  loads.also.emplace_back("file_mb", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  print(loads, folder);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  const holdfast::bench::Arguments arguments(
      argc, argv, {{"rounds", 5}, {"vectors", 1'000'000}, {"dimension", 384}, {"m", 16}});
  try {
    holdfast::bench::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_segment: %s\n", error.what());
    return 1;
  }
}
