#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "support/catch.h"

extern char** environ;

namespace holdfast::test {

/// A program that runs beside the test; killed at the end unless it was waited for.
class ChildProcess {
 public:
  ChildProcess(std::string program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::move(program));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    REQUIRE(posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ) == 0);
  }
  ~ChildProcess() {
    if (pid_ > 0) end();
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }
  void send(int signal) const { kill(pid_, signal); }
  /// How it ended, as waitpid says.
  int wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  void end() {
    send(SIGKILL);
    wait();
  }
  pid_t pid_ = -1;
};

}  // namespace holdfast::test
