#include "handler_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/event_store.h>

extern char** environ;

namespace holdfast::cli {
namespace {

constexpr int kDidNothing = 75;
constexpr std::size_t kErrorBytesMax = 4096;
constexpr int kPollMs = 100;
constexpr int kTermPolls = 50;  ///< five seconds

/// Both ends of a pipe, closed when they are not needed any more.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw ActionFailed(Effect::not_committed,
                         "no pipe to the command: " + std::string(std::strerror(errno)));
    }
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int end(std::size_t which) const { return ends_[which]; }
  void close(std::size_t which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string document(const Firing& firing) {
  core::JsonWriter out;
  out.string("space", firing.space)
      .string("actor", firing.actor)
      .raw("event", schedule::EventStore::to_json(firing.event))
      .raw("attempt", schedule::to_json(firing.attempt));
  return out.finish() + "\n";
}

std::vector<std::string> environment_of(const Firing& firing) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    if (!std::string_view(*at).starts_with("HOLDFAST_")) variables.emplace_back(*at);
  }
  variables.push_back("HOLDFAST_EVENT=" + to_string(firing.event.id));
  variables.push_back("HOLDFAST_OCCURRENCE=" + to_string(firing.attempt.occurrence));
  variables.push_back("HOLDFAST_ATTEMPT=" + std::to_string(firing.attempt.number));
  return variables;
}

/// One run of a command.
class Run {
 public:
  Run(const std::string& command, const Firing& firing) : stop_(firing.stop) {
    std::vector<std::string> variables = environment_of(firing);
    std::vector<char*> names;
    for (std::string& variable : variables) names.push_back(variable.data());
    names.push_back(nullptr);
    std::array<std::string, 3> words = {"sh", "-c", command};
    std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_.end(0), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors_.end(1), STDERR_FILENO);
    // What the command prints must not run into this program's own answers.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own: a Ctrl-C is for this program, which ends the command in its own way.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int failed = ::posix_spawn(&child_, "/bin/sh", &actions, &attributes, arguments.data(),
                                     names.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      throw ActionFailed(Effect::not_committed,
                         "the command could not be run: " + std::string(std::strerror(failed)));
    }
    input_.close(0);
    errors_.close(1);
  }

  ActionResult finish(std::string_view document) {
    ::fcntl(input_.end(1), F_SETFL, O_NONBLOCK);
    exchange(document);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ActionResult::ok();
    const bool did_nothing = WIFEXITED(status) && WEXITSTATUS(status) == kDidNothing;
    std::string how = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                        : "signal " + std::to_string(WTERMSIG(status));
    if (!error_.empty()) how += ": " + error_;
    return ActionResult::failed(did_nothing ? Effect::not_committed : Effect::unknown, how);
  }

 private:
  /// Feeds stdin and drains stderr until that is closed.
  void exchange(std::string_view document) {
    for (int polls_since_stop = 0;;) {
      std::array<pollfd, 2> fds = {{{errors_.end(0), POLLIN, 0}, {input_.end(1), POLLOUT, 0}}};
      const int ready = ::poll(fds.data(), fds.size(), kPollMs);
      if (stop_.stop_requested()) end_child(polls_since_stop++);
      if (ready <= 0) continue;
      if ((fds[1].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) feed(document);
      if ((fds[0].revents & (POLLIN | POLLHUP)) != 0 && !drain()) return;
    }
  }

  void feed(std::string_view& document) {
    const ssize_t written = ::write(input_.end(1), document.data(), document.size());
    if (written > 0) document.remove_prefix(static_cast<std::size_t>(written));
    // A command that does not read has closed its end: that is its own affair.
    if (document.empty() || (written < 0 && errno != EAGAIN && errno != EINTR)) input_.close(1);
  }

  bool drain() {
    std::array<char, 4096> piece;
    const ssize_t count = ::read(errors_.end(0), piece.data(), piece.size());
    if (count <= 0) return count < 0 && errno == EINTR;
    error_.append(piece.data(), static_cast<std::size_t>(count));
    if (error_.size() > kErrorBytesMax) error_.erase(0, error_.size() - kErrorBytesMax);
    return true;
  }

  void end_child(int polls) const {
    if (polls == 0) ::kill(-child_, SIGTERM);
    if (polls == kTermPolls) ::kill(-child_, SIGKILL);
  }

  std::stop_token stop_;
  Pipe input_;
  Pipe errors_;
  pid_t child_ = -1;
  std::string error_;
};

}  // namespace

Handler command_handler(const std::string& command) {
  return {.call = [command](const Firing& firing) {
    return Run(command, firing).finish(document(firing));
  }};
}

}  // namespace holdfast::cli
