#pragma once

// Thread safety: any thread; nothing here has state of its own.

#include <span>
#include <string>
#include <string_view>

namespace holdfast::storage {

/// One named condition of a guarded write. Each has one test, tagged [guard:<write>.<name>], that
/// fails when the condition is left out.
struct Conjunct {
  std::string_view name;
  std::string_view sql;
};

#ifdef HOLDFAST_TESTING
/// True when the environment variable HOLDFAST_DROP_CONJUNCT names this condition.
bool is_dropped(std::string_view write, std::string_view name);
#else
inline bool is_dropped(std::string_view, std::string_view) { return false; }
#endif

/// The conditions as one SQL expression.
std::string guard_sql(std::string_view write, std::span<const Conjunct> conjuncts);

/// A guard's condition that is decided in code. In a test build a dropped one counts as met.
inline bool holds(std::string_view write, std::string_view name, bool condition) {
  return is_dropped(write, name) || condition;
}

}  // namespace holdfast::storage
