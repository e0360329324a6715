#include "index_judge.h"

#include <set>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection.h>
#include <holdfast/journal/projection_failures.h>

namespace holdfast::vectors {
namespace {

journal::DerivedOf derived_of(const Serving& serving, const SourceKey& source) {
  return {.space = serving.space,
          .projection = serving.generation.projection,
          .generation = serving.generation.number,
          .kind = serving.kinds[source.kind],
          .id = source.id};
}

}  // namespace

Standings::Standings(const SearchAt& at)
    : at_(at),
      is_all_known_(at.serving.recent.cover(at.transaction, at.serving.space, at.serving.kinds,
                                            at.state.watermark, at.state.tail)) {}

bool Standings::is_suspect(const SourceKey& source) const {
  if (!is_all_known_) return true;
  if (at_.state.watermark < at_.state.tail &&
      at_.serving.recent.has_changed_after(source, at_.state.watermark)) {
    return true;
  }
  return at_.state.has_failures &&
         journal::find_failure(at_.transaction, derived_of(at_.serving, source)).has_value();
}

Standing Standings::look_up(const SourceKey& source) const {
  const std::string& kind = at_.serving.kinds[source.kind];
  const auto row =
      at_.registry.source(kind).find(at_.transaction, at_.serving.space, source.id);
  if (!row || !row->is_live) return Standing::gone;
  const auto& projection = at_.registry.projection(kModelType);
  try {
    const auto input = projection.input(at_.serving.generation.declaration, kind, *row);
    const bool is_current =
        journal::is_derived_from(at_.transaction, derived_of(at_.serving, source), input);
    return is_current ? Standing::current : Standing::stale;
  } catch (const InvalidArgument&) {
    return Standing::stale;  // none can be made of what it holds now
  }
}

Standing Standings::of(const SourceKey& source) {
  if (is_all_known_ && at_.state.watermark >= at_.state.tail && !at_.state.has_failures) {
    return Standing::current;
  }
  const auto found = looked_up_.find(source);
  if (found != looked_up_.end()) return found->second;
  const Standing standing = is_suspect(source) ? look_up(source) : Standing::current;
  looked_up_.emplace(source, standing);
  return standing;
}

Answering::Answering(const SearchAt& at, const SearchFor& what)
    : at_(at), what_(what), standings_(at), top_(what.k) {}

bool Answering::may_take(float distance, const Member& member) {
  const SourceKey source = source_of(member);
  if (source == what_.excluded || !top_.would_take(distance, member)) return false;
  switch (standings_.of(source)) {
    case Standing::gone: return false;
    case Standing::stale: return true;  // to be counted, if nothing else
    case Standing::current: return what_.staleness != Staleness::only;
  }
  return false;
}

void Answering::offer(float distance, const Member& member, Filter filter) {
  const SourceKey source = source_of(member);
  if (!may_take(distance, member)) return;
  const std::string& kind = at_.serving.kinds[source.kind];
  if (filter == Filter::open && !at_.matcher.matches(at_.transaction, kind, source.id)) return;
  if (!at_.matcher.is_shown(at_.transaction, kind, source.id)) return;
  const bool is_stale = standings_.of(source) == Standing::stale;
  if (is_stale && what_.staleness == Staleness::exclude) {
    left_out_.emplace_back(source, distance);
    return;
  }
  top_.offer({.distance = distance, .member = member, .is_stale = is_stale});
}

std::uint64_t Answering::stale_excluded() const {
  std::set<SourceKey> sources;
  for (const auto& [source, distance] : left_out_) {
    if (!top_.is_full() || distance <= top_.worst()) sources.insert(source);
  }
  return sources.size();
}

}  // namespace holdfast::vectors
