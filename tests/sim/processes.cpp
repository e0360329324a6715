#include "sim/processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace holdfast::test {

Processes::Processes() {
  if (pipe2(input_, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
}

Processes::~Processes() {
  if (input_[1] >= 0) go();
  close(input_[0]);
}

void Processes::start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input_[0], STDIN_FILENO);
  pid_t pid = 0;
  const int code =
      posix_spawn(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw std::runtime_error("cannot start " + command.front());
  started_.push_back(pid);
}

std::vector<int> Processes::go() {
  close(std::exchange(input_[1], -1));
  std::vector<int> codes;
  for (const pid_t pid : started_) {
    int status = 0;
    waitpid(pid, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  started_.clear();
  return codes;
}

}  // namespace holdfast::test
