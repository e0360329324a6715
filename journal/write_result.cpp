#include <holdfast/journal/write_result.h>

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
  }
  return "unknown";
}

}  // namespace holdfast
