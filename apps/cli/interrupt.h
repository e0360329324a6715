#pragma once

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
};

}  // namespace holdfast::cli
