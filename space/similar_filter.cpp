#include "similar_filter.h"

#include <holdfast/core/error.h>
#include <holdfast/core/limits.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/space/list_request.h>

namespace holdfast {
namespace {

template <class Filter>
void refuse_deleted(std::string_view field, const std::optional<Filter>& filter) {
  if (!filter || filter->deleted == Deleted::exclude) return;
  throw InvalidArgument(std::string(field),
                        filter->deleted == Deleted::only ? "only" : "include",
                        "be exclude: deleted rows have no vectors");
}

std::string key_of(const std::optional<EntityFilter>& entities,
                   const std::optional<NoteFilter>& notes, const std::set<Uuid>& ids) {
  std::string key;
  if (entities) key += ListRequest{.filter = *entities}.to_json();
  if (notes) key += "\n" + ListRequest{.filter = *notes}.to_json();
  for (const Uuid& id : ids) key += "\n" + to_string(id);
  return key;
}

}  // namespace

SimilarMatcher::SimilarMatcher(const Access& access, const SimilarFilter& filter)
    : access_(access),
      entity_filter_(filter.entities),
      note_filter_(filter.notes),
      ids_(filter.ids.begin(), filter.ids.end()) {
  refuse_deleted("filter.entities.deleted", entity_filter_);
  refuse_deleted("filter.notes.deleted", note_filter_);
  if (filter.ids.size() > core::kPageLimitMax) {
    throw InvalidArgument("filter.ids", std::to_string(filter.ids.size()),
                          "be at most " + std::to_string(core::kPageLimitMax));
  }
  if (!note_filter_ || !note_filter_->include_expired) {
    const auto asked = note_filter_ ? note_filter_->live_at : std::nullopt;
    live_at_ = asked.value_or(access.environment.clock.now());
  }
  if (note_filter_) {
    note_filter_->live_at.reset();
    note_filter_->include_expired = true;
    notes_.emplace(notes::NoteStore::matcher(access.space, *note_filter_));
  }
  if (entity_filter_) {
    entities_.emplace(graph::EntityStore::matcher(access.space, *entity_filter_));
  }
  key_ = key_of(entity_filter_, note_filter_, ids_);
}

bool SimilarMatcher::passes(storage::Transaction& transaction, std::string_view kind,
                            const Uuid& id) const {
  if (!entities_ && !notes_) return true;
  if (kind == graph::EntityStore::kKind) return entities_ && entities_->matches(transaction, id);
  if (kind == notes::NoteStore::kKind) return notes_ && notes_->matches(transaction, id);
  return false;
}

bool SimilarMatcher::matches(storage::Transaction& transaction, std::string_view kind,
                             const Uuid& id) const {
  if (!ids_.empty() && !ids_.contains(id)) return false;
  return passes(transaction, kind, id);
}

void SimilarMatcher::for_each_id(storage::Transaction& transaction, const Visit& visit) const {
  for (const journal::Source& source : access_.registry.sources()) {
    for (const Uuid& id : ids_) {
      if (passes(transaction, source.kind, id) && !visit(source.kind, id)) return;
    }
  }
}

void SimilarMatcher::for_each(storage::Transaction& transaction, const Visit& visit) const {
  if (!ids_.empty()) {
    for_each_id(transaction, visit);
    return;
  }
  bool goes_on = true;
  const auto each = [&](const std::optional<journal::RowMatcher>& rows, std::string_view kind) {
    if (!rows || !goes_on) return;
    rows->for_each(transaction, [&](const Uuid& id) { return goes_on = visit(kind, id); });
  };
  each(entities_, graph::EntityStore::kKind);
  each(notes_, notes::NoteStore::kKind);
}

bool SimilarMatcher::is_shown(storage::Transaction& transaction, std::string_view kind,
                              const Uuid& id) const {
  if (!live_at_ || kind != notes::NoteStore::kKind) return true;
  return notes::NoteStore::is_unexpired(transaction, access_.space, {id}, *live_at_);
}

}  // namespace holdfast
