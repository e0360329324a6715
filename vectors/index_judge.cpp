#include "index_judge.h"

#include <cmath>
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

Standings::Standings(const SearchAt& at) : at_(at) {
  const Serving& serving = at.serving;
  const Sequence tail = at.state.tail;
  const auto cover = [&](Sequence from) {
    return serving.recent.cover(at.transaction, serving.space, serving.kinds, from, tail);
  };
  is_all_known_ = serving.is_told_by_watermark && cover(at.state.watermark);
  if (is_all_known_) return;
  is_verified_known_ = cover(serving.verified.base(tail));
  if (!is_verified_known_) serving.verified.forget(tail);
}

bool Standings::is_suspect(const SourceKey& source) const {
  if (at_.serving.recent.may_have_changed(source, at_.state.watermark, at_.state.tail)) {
    return true;
  }
  return at_.state.has_failures &&
         journal::find_failure(at_.transaction, derived_of(at_.serving, source)).has_value();
}

/// By what was found out earlier, when nothing has changed since.
Standing Standings::verify(const SourceKey& source) const {
  const Sequence tail = at_.state.tail;
  if (is_verified_known_) {
    const auto verified_at = at_.serving.verified.verified_at(source);
    if (verified_at && *verified_at <= tail &&
        !at_.serving.recent.may_have_changed(source, *verified_at, tail)) {
      return Standing::current;
    }
  }
  const Standing standing = look_up(source);
  if (standing == Standing::current) at_.serving.verified.note(source, tail);
  return standing;
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
  Standing standing = Standing::current;
  if (!is_all_known_) {
    standing = verify(source);
  } else if (is_suspect(source)) {
    standing = look_up(source);
  }
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
  // Of damaged vectors, that no model takes: verifying names them.
  if (!std::isfinite(distance) || !may_take(distance, member)) return;
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
