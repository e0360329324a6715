#include <holdfast/space/space.h>

#include <holdfast/core/error.h>
#include <holdfast/journal/space_store.h>

#include "writing.h"

namespace holdfast {

Space::Space(Access access, const journal::Registry& registry)
    : access_(std::move(access)),
      entities_(access_, graph::EntityStore{}),
      edges_(access_, graph::EdgeStore{}),
      notes_(access_, notes::NoteStore(registry)),
      note_store_(registry) {}

std::optional<Note> Space::find_note(std::string_view key) const {
  const auto snapshot = access_.database.snapshot();
  return note_store_.find_key(snapshot->transaction(), access_.space, key);
}

Page<Neighbor> Space::neighbors(EntityId entity, const NeighborFilter& filter,
                                const PageRequest& page) const {
  const auto snapshot = access_.database.snapshot();
  return graph::neighbors(snapshot->transaction(), access_.space, entity, filter, page);
}

Sequence Space::neighborhood_seq(EntityId entity) const {
  const auto snapshot = access_.database.snapshot();
  return graph::neighborhood_seq(snapshot->transaction(), access_.space, entity);
}

WriteResult<Relation> Space::declare_relation(const Relation& relation) const {
  return submit_write<WriteResult<Relation>>(access_, [&](journal::Appender& appender) {
    return graph::RelationStore::declare(appender, relation);
  });
}

std::vector<Relation> Space::relations() const {
  const auto snapshot = access_.database.snapshot();
  return graph::RelationStore::list(snapshot->transaction(), access_.space);
}

WriteResult<SpaceRow> Space::set_relation_policy(RelationPolicy policy) const {
  const auto patch = JsonObject::trusted(R"({"relations":")" + std::string(to_string(policy)) +
                                         R"("})");
  return submit_write<WriteResult<SpaceRow>>(access_, [&](journal::Appender& appender) {
    auto row = journal::SpaceStore::find(appender.transaction(), access_.space).value();
    const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
    WriteResult<SpaceRow> same;
    same.outcome = Outcome::unchanged;
    same.current = row;
    if (graph::relation_policy(row.settings.text()) == policy) return same;
    row.settings = merge_patch("settings", row.settings, patch);
    row.revision = next_revision(appender.now(), row.revision);
    return journal::SpaceStore::replace_if_unchanged(appender, row, as_read);
  });
}

journal::Tail Space::tail() const {
  const auto snapshot = access_.database.snapshot();
  return journal::tail(snapshot->transaction(), access_.space);
}

void Space::write(const std::function<void(journal::Appender&)>& change) const {
  const journal::WriteContext context = write_context(access_);
  const auto run = [&](journal::Appender& appender) {
    const Sequence before = appender.next_seq();
    change(appender);
    return appender.next_seq() != before;
  };
  access_.database.writer().submit(
      [&](storage::Transaction& transaction) {
        const bool wrote = journal::in_space(transaction, context, run);
        return wrote ? storage::Verdict::keep : storage::Verdict::undo;
      },
      context.request_id);
}

}  // namespace holdfast
