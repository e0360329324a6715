#include <holdfast/storage/guard.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>

namespace holdfast::storage {

#ifdef HOLDFAST_TESTING
namespace {

/// Adds the condition to the file that HOLDFAST_CONJUNCTS_SEEN names, once a run, so that those
/// without a test can be told.
void record(std::string_view write, std::string_view name) {
  static const char* const path = std::getenv("HOLDFAST_CONJUNCTS_SEEN");
  if (path == nullptr) return;
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::string full = std::string(write) + "." + std::string(name);
  const std::lock_guard lock(mutex);
  if (seen.insert(full).second) std::ofstream(path, std::ios::app) << full << '\n';
}

}  // namespace

bool is_dropped(std::string_view write, std::string_view name) {
  record(write, name);
  static const std::string dropped = [] {
    const char* value = std::getenv("HOLDFAST_DROP_CONJUNCT");
    return std::string(value == nullptr ? "" : value);
  }();
  if (dropped.empty() || dropped.size() != write.size() + 1 + name.size()) return false;
  return dropped.starts_with(write) && dropped[write.size()] == '.' && dropped.ends_with(name);
}
#endif

std::string guard_sql(std::string_view write, std::span<const Conjunct> conjuncts) {
  std::string sql;
  for (const Conjunct& conjunct : conjuncts) {
    if (!sql.empty()) sql += " AND ";
    // A dropped condition stays in the text, so that its parameters do.
    const bool dropped = is_dropped(write, conjunct.name);
    sql += dropped ? "(" + std::string(conjunct.sql) + " OR 1 = 1)" : std::string(conjunct.sql);
  }
  return sql;
}

}  // namespace holdfast::storage
