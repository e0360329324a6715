#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <holdfast/core/clock.h>

namespace holdfast::cli {

/// How far a long command is, on stderr: a bar with rate and time left on a terminal, a line every
/// two seconds and at the end elsewhere; nothing for a program, to which stderr tells errors alone.
class Progress {
 public:
  Progress(std::string label, bool is_for_program);
  /// Ends the bar's line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A remark on a line of its own.
  void note(const std::string& text);
  /// `total` is 0 while it is not known.
  void update(std::uint64_t done, std::uint64_t total);
  void finish();

 private:
  std::string line(std::uint64_t done, std::uint64_t total,
                   std::chrono::microseconds elapsed) const;

  std::string label_;
  core::SystemClock clock_;
  bool is_for_program_;
  bool is_terminal_;
  bool bar_is_open_ = false;
  bool has_started_ = false;
  bool was_complete_ = false;  ///< when it was shown last
  std::chrono::microseconds started_{0};
  std::chrono::microseconds shown_{0};
  std::uint64_t first_done_ = 0;  ///< when the clock was started
};

}  // namespace holdfast::cli
