#include <holdfast/vectors/similar.h>

#include <holdfast/core/error.h>

namespace holdfast {

std::string_view to_string(Staleness staleness) {
  switch (staleness) {
    case Staleness::exclude: return "exclude";
    case Staleness::flag: return "flag";
    case Staleness::only: return "only";
  }
  return "unknown";
}

Staleness parse_staleness(std::string_view field, std::string_view text) {
  for (const Staleness one : {Staleness::exclude, Staleness::flag, Staleness::only}) {
    if (text == to_string(one)) return one;
  }
  throw InvalidArgument(std::string(field), std::string(text), "be exclude, flag or only");
}

std::string_view to_string(SearchedIn searched) {
  switch (searched) {
    case SearchedIn::graph: return "graph";
    case SearchedIn::exact: return "exact";
    case SearchedIn::rows: return "rows";
  }
  return "unknown";
}

std::string_view to_string(IndexState state) {
  switch (state) {
    case IndexState::off: return "off";
    case IndexState::none: return "none";
    case IndexState::building: return "building";
    case IndexState::ready: return "ready";
    case IndexState::too_large: return "too_large";
  }
  return "unknown";
}

}  // namespace holdfast
