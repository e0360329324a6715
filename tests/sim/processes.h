#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::test {

/// Programs that are started together: each waits until its input ends, which go() does for all.
class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  void start(const std::vector<std::string>& command);
  /// Lets all run and waits for them; their exit codes, -1 for one that a signal ended.
  std::vector<int> go();

 private:
  int input_[2] = {-1, -1};
  std::vector<pid_t> started_;
};

}  // namespace holdfast::test
