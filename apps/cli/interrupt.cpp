#include "interrupt.h"

#include <signal.h>

namespace holdfast::cli {
namespace {

// All that a signal handler may touch.
volatile sig_atomic_t caught = 0;

extern "C" void catch_signal(int number) { caught = number; }

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

}  // namespace holdfast::cli
