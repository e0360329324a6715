#pragma once

// Thread safety: values and functions without state; any thread.

#include <holdfast/core/clock.h>
#include <holdfast/core/faults.h>
#include <holdfast/core/id.h>
#include <holdfast/core/random.h>

namespace holdfast::core {

/// Everything outside the database that the library depends on; nothing else reads time, makes ids
/// or draws random numbers. What it refers to must outlive every store opened with it.
struct Environment {
  Clock& clock;
  IdSource& ids;
  Random& random;
  Faults& faults;
};

}  // namespace holdfast::core
