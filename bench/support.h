#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

/// The sizes of a run, `--name number` each. Ends the program with usage on anything unknown.
class Arguments {
 public:
  /// `defaults` are all the names there are; `--rounds` is common to every benchmark.
  Arguments(int argc, char** argv, std::map<std::string, std::size_t> defaults);
  std::size_t operator[](const std::string& name) const { return values_.at(name); }

 private:
  std::map<std::string, std::size_t> values_;
};

/// A fresh folder on a real disk for the databases, removed at the end: in $TMPDIR when that names
/// one, else beside the program. Throws when neither lies on a disk, where a sync costs nothing.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path file(std::string_view name) const { return path_ / name; }
  const std::string& file_system() const { return file_system_; }

 private:
  std::filesystem::path path_;
  std::string file_system_;
};

enum class Cpu {
  thread,   ///< of the calling thread
  process,  ///< of all threads
};

/// What one operation took.
struct Cost {
  double wall_us = 0;
  double cpu_us = 0;
};

/// Runs `work`, which does `operations` things, once.
Cost measure(std::size_t operations, Cpu cpu, const std::function<void()>& work);

double median(std::vector<double> values);

/// What a ratio must hold to.
struct Target {
  enum class Kind { at_most, at_least };
  Kind kind = Kind::at_most;
  double ratio = 0;
};

/// One measured thing beside its floor, a pair of costs for each round. Ratios are medians of the
/// rounds' ratios, because both sides of a round meet the same disk.
struct Measurement {
  std::string_view bench;
  std::string name;
  std::string_view operation;  ///< "replace"; the unit is microseconds for one, or its rate
  bool is_rate = false;        ///< operations a second, wall time; CPU stays microseconds for each
  std::string_view floor_is;   ///< what the floor does, in a few words
  std::optional<Target> target;
  std::optional<Target> cpu_target;
  std::vector<Cost> ours;
  std::vector<Cost> floor;
  std::vector<std::pair<std::string, double>> also;  ///< further numbers of the line
};

/// Writes the measurement as one line of JSON to stdout.
void print(const Measurement& measurement, const Folder& folder);

/// Ends the run with an exception when what was measured did not do what it should.
void require(bool holds, const std::string& what);

}  // namespace holdfast::bench
