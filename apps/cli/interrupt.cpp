#include "interrupt.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include <holdfast/core/error.h>

namespace holdfast::cli {
namespace {

// All that a signal handler may touch.
volatile sig_atomic_t caught = 0;
volatile sig_atomic_t is_waiting = 0;
volatile sig_atomic_t wake_fd = -1;

void wake(int fd) {
  const std::uint64_t one = 1;
  // What can fail here is that the counter is full: then it has been woken.
  if (fd >= 0 && write(fd, &one, sizeof one) < 0) return;
}

extern "C" void catch_signal(int number) {
  caught = number;
  const int error = errno;
  wake(wake_fd);
  errno = error;
  if (is_waiting != 0) _exit(128 + number);
}

}  // namespace

Interrupt::Interrupt() {
  caught = 0;
  struct sigaction action {};
  action.sa_handler = &catch_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

int Interrupt::signal() const { return caught; }

Interrupt::Wait::Wait() {
  is_waiting = 1;
  if (caught != 0) _exit(128 + caught);
}

Interrupt::Wait::~Wait() { is_waiting = 0; }

InterruptToken::InterruptToken() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd < 0) throw Unavailable("no file descriptor is left to wait for a signal");
  wake_fd = fd;
  // A stop is asked for by a thread of its own: whoever waits is told under a lock.
  waiter_ = std::thread([this, fd] {
    std::uint64_t count = 0;
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR) continue;
    source_.request_stop();
    close(fd);
  });
}

InterruptToken::~InterruptToken() {
  const int fd = wake_fd;
  wake_fd = -1;
  wake(fd);
  waiter_.join();
}

}  // namespace holdfast::cli
