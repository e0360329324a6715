#include <holdfast/storage/guard.h>

#include <cstdlib>

namespace holdfast::storage {

#ifdef HOLDFAST_TESTING
bool is_dropped(std::string_view write, std::string_view name) {
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
