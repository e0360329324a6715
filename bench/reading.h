#pragma once

#include <filesystem>
#include <memory>

#include "floor.h"
#include "sample.h"

namespace holdfast::bench {

struct CloseReader {
  void operator()(FloorReader* floor) const { floor_reader_close(floor); }
};
using Reader = std::unique_ptr<FloorReader, CloseReader>;

inline Reader open_reader(const std::filesystem::path& path) {
  return Reader(floor_reader_open(path.c_str(), kSpace));
}

}  // namespace holdfast::bench
