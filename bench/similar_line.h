#pragma once

// Thread safety: that of stdout.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::bench {

using Clock = std::chrono::steady_clock;

inline double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

/// What is measured under one name, one JSON object on stdout.
struct Line {
  std::string_view name;
  std::vector<std::pair<std::string_view, double>> numbers;
};
inline void print_line(const Line& line) {
  std::printf("{\"bench\":\"similar\",\"name\":\"%s\"", std::string(line.name).c_str());
  for (const auto& [name, value] : line.numbers) {
    std::printf(",\"%s\":%.4g", std::string(name).c_str(), value);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace holdfast::bench
