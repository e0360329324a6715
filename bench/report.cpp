#include "support.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <holdfast/core/json_text.h>

namespace holdfast::bench {
namespace {

double cpu_us(Cpu cpu) {
  rusage used{};
  getrusage(cpu == Cpu::thread ? RUSAGE_THREAD : RUSAGE_SELF, &used);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

std::vector<double> wall_of(const std::vector<Cost>& costs, bool is_rate) {
  std::vector<double> values;
  for (const Cost& cost : costs) values.push_back(is_rate ? 1e6 / cost.wall_us : cost.wall_us);
  return values;
}

std::vector<double> cpu_of(const std::vector<Cost>& costs) {
  std::vector<double> values;
  for (const Cost& cost : costs) values.push_back(cost.cpu_us);
  return values;
}

std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& floor) {
  std::vector<double> values;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    // So short a run that the clock of the CPU did not move has no ratio.
    values.push_back(floor[i] > 0 ? ours[i] / floor[i] : 0);
  }
  return values;
}

bool is_met(const std::optional<Target>& target, double ratio) {
  if (!target) return true;
  return target->kind == Target::Kind::at_most ? ratio <= target->ratio : ratio >= target->ratio;
}

void write_target(core::JsonWriter& line, std::string_view key,
                  const std::optional<Target>& target) {
  if (!target) return;
  char text[32];
  std::snprintf(text, sizeof text, "%s %g",
                target->kind == Target::Kind::at_most ? "<=" : ">=", target->ratio);
  line.string(key, text);
}

void write_spread(core::JsonWriter& line, const std::string& name,
                  const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  line.real(name, rounded(median(values)))
      .real(name + "_min", rounded(*low))
      .real(name + "_max", rounded(*high));
}

}  // namespace

Cost measure(std::size_t operations, Cpu cpu, const std::function<void()>& work) {
  const double cpu_before = cpu_us(cpu);
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
  const auto count = static_cast<double>(operations);
  return {.wall_us = wall.count() / count, .cpu_us = (cpu_us(cpu) - cpu_before) / count};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print(const Measurement& measurement, const Folder& folder) {
  const auto ours = wall_of(measurement.ours, measurement.is_rate);
  const auto floor = wall_of(measurement.floor, measurement.is_rate);
  const auto wall_ratios = ratios(ours, floor);
  const auto cpu_ratios = ratios(cpu_of(measurement.ours), cpu_of(measurement.floor));

  const std::string operation(measurement.operation);
  core::JsonWriter line;
  line.string("bench", measurement.bench)
      .string("case", measurement.name)
      .string("unit", measurement.is_rate ? operation + "s/s" : "us/" + operation);
  write_spread(line, "ours", ours);
  write_spread(line, "floor", floor);
  write_spread(line, "ratio", wall_ratios);
  line.string("floor_is", measurement.floor_is)
      .string("cpu_unit", "us/" + operation)
      .real("cpu_ours", rounded(median(cpu_of(measurement.ours))))
      .real("cpu_floor", rounded(median(cpu_of(measurement.floor))))
      .real("cpu_ratio", rounded(median(cpu_ratios)))
      .unsigned_integer("runs", measurement.ours.size());
  for (const auto& [name, value] : measurement.also) line.real(name, rounded(value));
  write_target(line, "target", measurement.target);
  write_target(line, "cpu_target", measurement.cpu_target);
  if (measurement.target || measurement.cpu_target) {
    line.boolean("met", is_met(measurement.target, median(wall_ratios)) &&
                            is_met(measurement.cpu_target, median(cpu_ratios)));
  }
  line.string("file_system", folder.file_system());
  std::printf("%s\n", line.finish().c_str());
  std::fflush(stdout);
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("the benchmark went wrong: " + what);
}

}  // namespace holdfast::bench
