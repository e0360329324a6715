// Writes files of segments of every kind to a folder: what fuzzing begins with.

#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "vectors/segment_file.h"

namespace {

using namespace holdfast;
using namespace holdfast::vectors;

constexpr HnswParameters kGraph{.m = 2, .ef_construction = 8, .seed = 1};

Contents contents_of(std::size_t count, Metric metric, Form form) {
  constexpr std::size_t kDimension = 3;
  std::mt19937 random(1);
  Contents contents{.kinds = {"a", "b"},
                    .members = {},
                    .array = VectorArray(kDimension, metric, form),
                    .cursor = 5};
  for (std::uint32_t i = 0; i < count; ++i) {
    // Few different ones, so that some are equal.
    const float vector[kDimension] = {static_cast<float>(random() % 5), 1,
                                      static_cast<float>(random() % 3)};
    contents.array.add(vector);
    contents.members.push_back({.kind = static_cast<std::uint8_t>(i % 2),
                                .id = {},
                                .chunk = i,
                                .number = std::int64_t{i} + 1});
  }
  return contents;
}

bool write(const std::string& path, const Segment& segment) {
  const core::Faults faults;
  const SegmentIdentity identity{.key = {.space = {}, .model = "m", .generation = 1},
                                 .database = "d",
                                 .signature = {},
                                 .dimension = segment.array().dimension(),
                                 .metric = segment.array().metric(),
                                 .form = segment.array().form(),
                                 .graph = kGraph};
  return write_segment(path, 0600, identity, segment, faults);
}

/// With a graph and without, and with dead slots and strays.
bool write_all(const std::string& prefix, const Contents& contents) {
  const SegmentBuild build{.graph = kGraph, .stray_ef = 4};
  const auto graph = build_segment(contents, build);
  Contents none{.kinds = contents.kinds,
                .members = {},
                .array = VectorArray(contents.array.dimension(), contents.array.metric(),
                                     contents.array.form()),
                .cursor = 6};
  SegmentParts parts = fold(*graph, [](Slot slot) { return slot % 6 != 3; }, none, build)->parts();
  if (contents.members.size() > 2) parts.strays = {0, 2};
  return write(prefix + "-flat", *build_segment(contents, SegmentBuild{})) &&
         write(prefix + "-graph", *graph) && write(prefix + "-folded", Segment(std::move(parts)));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    for (const Form form : {Form::codes, Form::floats}) {
      for (const std::size_t size : {0, 1, 9, 40}) {
        const std::string name = std::string(to_string(metric)) +
                                 (form == Form::codes ? "-codes-" : "-floats-") +
                                 std::to_string(size);
        if (!write_all((folder / name).string(), contents_of(size, metric, form))) return 1;
      }
    }
  }
  return 0;
}
