#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace holdfast::cli {
namespace {

// All that a signal handler may touch.
volatile sig_atomic_t caught = 0;
volatile sig_atomic_t is_waiting = 0;

extern "C" void catch_signal(int number) {
  caught = number;
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

}  // namespace holdfast::cli
