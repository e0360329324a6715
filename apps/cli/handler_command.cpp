#include "handler_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/json_text.h>
#include <holdfast/schedule/claims.h>
#include <holdfast/schedule/event_store.h>

extern char** environ;

namespace holdfast::cli {
namespace {

constexpr int kDidNothing = 75;
constexpr std::size_t kErrorBytesMax = 4096;
constexpr int kPollMs = 100;
constexpr std::chrono::seconds kTermLimit{5};
constexpr std::array<std::string_view, 3> kVariables = {"HOLDFAST_EVENT=", "HOLDFAST_OCCURRENCE=",
                                                        "HOLDFAST_ATTEMPT="};

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
    const auto is_set = [at](std::string_view name) {
      return std::string_view(*at).starts_with(name);
    };
    if (std::none_of(kVariables.begin(), kVariables.end(), is_set)) variables.emplace_back(*at);
  }
  const std::array values = {to_string(firing.event.id), to_string(firing.attempt.occurrence),
                             std::to_string(firing.attempt.number)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    variables.push_back(std::string(kVariables[i]) + values[i]);
  }
  return variables;
}

/// How a command is started, released at the end.
class Setting {
 public:
  Setting(int input, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    // What the command prints must not run into this program's own answers.
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    // A group of its own: a Ctrl-C is for this program, which ends the command in its own way.
    // Signals that this program ignores would stay ignored, also in the command's pipelines.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigset_t ignored_here;
    sigemptyset(&ignored_here);
    sigaddset(&ignored_here, SIGPIPE);
    sigaddset(&ignored_here, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &ignored_here);
  }
  ~Setting() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  pid_t start(const std::string& command, std::vector<std::string> variables) {
    std::vector<char*> names;
    for (std::string& variable : variables) names.push_back(variable.data());
    names.push_back(nullptr);
    std::array<std::string, 3> words = {"sh", "-c", command};
    std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t child = -1;
    const int failed =
        ::posix_spawn(&child, "/bin/sh", &actions_, &attributes_, arguments.data(), names.data());
    if (failed == 0) return child;
    throw ActionFailed(Effect::not_committed,
                       "the command could not be run: " + std::string(std::strerror(failed)));
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// One run of a command.
class Run {
 public:
  Run(const std::string& command, const Firing& firing) : stop_(firing.stop) {
    child_ = Setting(input_.end(0), errors_.end(1)).start(command, environment_of(firing));
    child_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    input_.close(0);
    errors_.close(1);
    ::fcntl(input_.end(1), F_SETFL, O_NONBLOCK);
    ::fcntl(errors_.end(0), F_SETFL, O_NONBLOCK);
  }
  ~Run() {
    if (child_fd_ >= 0) ::close(child_fd_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ActionResult finish(std::string_view document) {
    const int status = wait_for_end(document);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ActionResult::ok();
    const bool did_nothing = WIFEXITED(status) && WEXITSTATUS(status) == kDidNothing;
    std::string how = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                        : "signal " + std::to_string(WTERMSIG(status));
    if (!error_.empty()) how += ": " + error_;
    return ActionResult::failed(did_nothing ? Effect::not_committed : Effect::unknown, how);
  }

 private:
  /// Feeds stdin and drains stderr until the command itself has ended: it may have closed both long
  /// before, and what it left running may hold them open for as long as that likes.
  int wait_for_end(std::string_view document) {
    constexpr int kReadsMax = 64;  // what may lie in the pipe
    for (;;) {
      std::array<pollfd, 3> fds = {
          {{errors_.end(0), POLLIN, 0}, {input_.end(1), POLLOUT, 0}, {child_fd_, POLLIN, 0}}};
      // Without a descriptor of the process, its end is noticed as late as a stop.
      (void)::poll(fds.data(), fds.size(), kPollMs);
      if (stop_.stop_requested()) end_child();
      if (fds[1].revents != 0) feed(document);
      if (fds[0].revents != 0) drain();
      int status = 0;
      const pid_t ended = ::waitpid(child_, &status, WNOHANG);
      if (ended < 0 && errno != EINTR) {
        throw ActionFailed(Effect::unknown, "how the command ended is not known: " +
                                                std::string(std::strerror(errno)));
      }
      if (ended != child_) continue;
      for (int i = 0; i < kReadsMax && drain(); ++i) {
      }
      return status;
    }
  }

  void feed(std::string_view& document) {
    const ssize_t written = ::write(input_.end(1), document.data(), document.size());
    if (written > 0) document.remove_prefix(static_cast<std::size_t>(written));
    // A command that does not read has closed its end: that is its own affair.
    if (document.empty() || (written < 0 && errno != EAGAIN && errno != EINTR)) input_.close(1);
  }

  /// False when there is nothing to read now.
  bool drain() {
    std::array<char, 4096> piece;
    const ssize_t count = ::read(errors_.end(0), piece.data(), piece.size());
    if (count < 0) return errno == EINTR;
    if (count == 0) {
      errors_.close(0);
      return false;
    }
    error_.append(piece.data(), static_cast<std::size_t>(count));
    if (error_.size() > kErrorBytesMax) error_.erase(0, error_.size() - kErrorBytesMax);
    return true;
  }

  void end_child() {
    if (!asked_to_end_) {
      asked_to_end_ = clock_.elapsed();
      ::kill(-child_, SIGTERM);
    } else if (!is_killed_ && clock_.elapsed() - *asked_to_end_ >= kTermLimit) {
      is_killed_ = true;
      ::kill(-child_, SIGKILL);
    }
  }

  std::stop_token stop_;
  core::SystemClock clock_;
  Pipe input_;
  Pipe errors_;
  pid_t child_ = -1;
  int child_fd_ = -1;  ///< readable when the process has ended
  std::optional<std::chrono::microseconds> asked_to_end_;
  bool is_killed_ = false;
  std::string error_;
};

}  // namespace

Handler command_handler(const std::string& command) {
  return {.call = [command](const Firing& firing) {
    return Run(command, firing).finish(document(firing));
  }};
}

}  // namespace holdfast::cli
