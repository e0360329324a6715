#include <holdfast/journal/write_result.h>

#include <holdfast/core/error.h>

namespace holdfast {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::applied: return "applied";
    case Outcome::unchanged: return "unchanged";
    case Outcome::exists: return "exists";
    case Outcome::key_taken: return "key_taken";
    case Outcome::missing: return "missing";
    case Outcome::revision_moved: return "revision_moved";
    case Outcome::deletion_changed: return "deletion_changed";
    case Outcome::not_advanced: return "not_advanced";
    case Outcome::endpoint_missing: return "endpoint_missing";
    case Outcome::loop_refused: return "loop_refused";
    case Outcome::relation_undeclared: return "relation_undeclared";
    case Outcome::overlaps: return "overlaps";
    case Outcome::in_use: return "in_use";
    case Outcome::absorbed: return "absorbed";
    case Outcome::kind_refused: return "kind_refused";
    case Outcome::still_live: return "still_live";
    case Outcome::purged: return "purged";
    case Outcome::held: return "held";
    case Outcome::neighborhood_moved: return "neighborhood_moved";
    case Outcome::key_moved: return "key_moved";
    case Outcome::list_moved: return "list_moved";
    case Outcome::not_pending: return "not_pending";
    case Outcome::not_evaluated: return "not_evaluated";
  }
  return "unknown";
}

Outcome parse_outcome(std::string_view field, std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Outcome::not_evaluated); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (to_string(outcome) == text) return outcome;
  }
  throw InvalidArgument(std::string(field), std::string(text), "be the name of an outcome");
}

}  // namespace holdfast
