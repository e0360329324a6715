#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "text.h"

namespace holdfast::cli {
namespace {

constexpr std::chrono::microseconds kBarEvery{100'000};
constexpr std::chrono::microseconds kLineEvery{2'000'000};

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string time_left(std::uint64_t seconds) {
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) {
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  }
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

}  // namespace

Progress::Progress(std::string label, bool is_for_program)
    : label_(std::move(label)),
      is_for_program_(is_for_program),
      is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { finish(); }

void Progress::note(const std::string& text) {
  if (is_for_program_) return;
  finish();
  const std::string line = label_ + ": " + printable(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (is_for_program_) return;
  const auto now = clock_.elapsed();
  const bool is_complete = total > 0 && done >= total;
  if (!has_started_) {
    started_ = now;
    first_done_ = done;
    has_started_ = true;
  } else if (now - shown_ < (is_terminal_ ? kBarEvery : kLineEvery) &&
             (!is_complete || was_complete_)) {
    return;
  }
  was_complete_ = is_complete;
  shown_ = now;
  const std::string text = line(done, total, now - started_);
  if (is_terminal_) {
    std::fputs(("\r\033[K" + shortened(text, terminal_columns() - 1)).c_str(), stderr);
    bar_is_open_ = true;
  } else {
    std::fputs((text + "\n").c_str(), stderr);
  }
  std::fflush(stderr);
}

void Progress::finish() {
  if (!bar_is_open_) return;
  std::fputs("\n", stderr);
  bar_is_open_ = false;
}

std::string Progress::line(std::uint64_t done, std::uint64_t total,
                           std::chrono::microseconds elapsed) const {
  constexpr std::size_t kBarWidth = 10;
  std::string out = label_ + ": ";
  if (total == 0) {
    out += grouped(done);
  } else {
    const double part =
        static_cast<double>(std::min(done, total)) / static_cast<double>(total);
    if (is_terminal_) {
      const auto filled = static_cast<std::size_t>(part * kBarWidth);
      out += "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
    }
    out += std::to_string(static_cast<int>(part * 100)) + " %, " + grouped(done) + " of " +
           grouped(total);
  }
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (seconds < 0.5 || done <= first_done_) return out;
  const double rate = static_cast<double>(done - first_done_) / seconds;
  out += ", " + grouped(static_cast<std::uint64_t>(rate)) + "/s";
  if (done < total) {
    out += ", " + time_left(static_cast<std::uint64_t>(static_cast<double>(total - done) / rate)) +
           " left";
  }
  return out;
}

}  // namespace holdfast::cli
