#pragma once

#include <stop_token>
#include <thread>

namespace holdfast::cli {

/// While this lives, the first SIGINT or SIGTERM only asks the command to stop; a second one ends
/// the process as usual, which the store survives as it does any crash. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came; 0 before one did.
  int signal() const;

  /// While this lives, a signal ends the process at once, with 128 plus its number: for a wait
  /// that leaves nothing half done. So does one that came before.
  class Wait {
   public:
    Wait();
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
  };
};

/// The same for work that ends by a stop token: the first signal asks for the stop.
class InterruptToken {
 public:
  /// Throws Unavailable when the system is out of file descriptors.
  InterruptToken();
  ~InterruptToken();
  InterruptToken(const InterruptToken&) = delete;
  InterruptToken& operator=(const InterruptToken&) = delete;

  const std::stop_source& source() const { return source_; }
  int signal() const { return interrupt_.signal(); }

 private:
  Interrupt interrupt_;
  std::stop_source source_;
  std::thread waiter_;
};

}  // namespace holdfast::cli
