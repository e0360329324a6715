#pragma once

#include <cstdint>
#include <string>

#include <holdfast/schedule/event.h>

namespace holdfast::scheduler {

/// What is to become of an event that was seen to be due.
enum class Admit {
  fire,
  miss,    ///< its time passed too long ago
  refuse,  ///< its times cannot be read; see `error`
};

struct Admission {
  Admit verdict = Admit::fire;
  Timestamp trigger_at;           ///< of the occurrence
  std::uint64_t passed_over = 0;  ///< earlier occurrences that it stands for
  std::string error{};
};

/// Decides by the first look at an event; nothing of it is written back later. `was_tried`: an
/// attempt was made for its present trigger, so it was admitted before.
Admission admit(const ScheduledEvent& event, bool was_tried, Timestamp now);

}  // namespace holdfast::scheduler
