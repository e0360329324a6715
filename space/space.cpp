#include <holdfast/space/space.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/journal/follower.h>
#include <holdfast/journal/space_store.h>
#include <holdfast/storage/guard.h>

#include "answer.h"
#include "given.h"
#include "plan_apply.h"
#include "plan_run.h"
#include "reading.h"
#include "writing.h"

namespace holdfast {
Space::Space(Access access)
    : access_(std::move(access)),
      entities_(access_, graph::EntityStore{}),
      edges_(access_, graph::EdgeStore{}),
      notes_(access_, notes::NoteStore(access_.registry)),
      events_(access_, schedule::EventStore{}),
      note_store_(access_.registry) {}

std::optional<Note> Space::find_note(std::string_view key) const {
  const Reading reading(access_);
  return note_store_.find_key(reading.transaction(), access_.space, key);
}

Page<Neighbor> Space::neighbors(EntityId entity, const NeighborFilter& filter,
                                const PageRequest& page) const {
  const Reading reading(access_);
  return graph::neighbors(reading.transaction(), access_.space, entity, filter, page);
}

Sequence Space::neighborhood_seq(EntityId entity) const {
  const Reading reading(access_);
  return graph::neighborhood_seq(reading.transaction(), access_.space, entity);
}

Traversal Space::traverse(EntityId start, const TraversalOptions& options) const {
  return traverse(std::span(&start, 1), options);
}

Traversal Space::traverse(std::span<const EntityId> starts, const TraversalOptions& options) const {
  return access_.adjacencies.of(access_.space).traverse(starts, options);
}

ReachCount Space::count_reachable(EntityId start, const TraversalOptions& options) const {
  return count_reachable(std::span(&start, 1), options).front();
}

std::vector<ReachCount> Space::count_reachable(std::span<const EntityId> starts,
                                               const TraversalOptions& options) const {
  return access_.adjacencies.of(access_.space).count_reachable(starts, options);
}

Path Space::shortest_path(EntityId from, EntityId to, const TraversalOptions& options) const {
  return access_.adjacencies.of(access_.space).shortest_path(from, to, options);
}

AdjacencyStatus Space::adjacency_status() const {
  return access_.adjacencies.of(access_.space).status();
}

void Space::unload_adjacency() const { access_.adjacencies.of(access_.space).unload(); }

WriteResult<Entity> Space::rename_entity(EntityId entity, std::string_view name,
                                         const std::optional<Expected>& expected,
                                         const WriteOptions& options) const {
  const std::string document = core::JsonWriter().string("name", name).finish();
  return entities_.patch(entity, JsonObject::parse("name", document), expected, options);
}

WriteResult<Edge> Space::retarget_edge(EdgeId edge, const EdgeMove& to,
                                       const std::optional<Expected>& expected,
                                       const WriteOptions& options) const {
  return edges_.retarget(edge, to, expected, options);
}

WriteResult<Relation> Space::declare_relation(const Relation& given,
                                              const WriteOptions& options) const {
  refuse_vectors(options, "not be given with the declaration of a relation");
  Relation relation = given;
  graph::RelationStore::normalise(relation);
  const auto context = write_context(access_, options);
  const Asked asked(options, [&] {
    return "declare " + graph::RelationStore::body(relation);
  });
  return submit_write<WriteResult<Relation>>(
      access_, context, "relation", [&](journal::Appender& appender) {
        return asked.in(
            appender,
            [&](journal::Appender& inside) {
              return graph::RelationStore::declare(inside, relation);
            },
            [&](const JsonObject& kept) {
              return repeated(appender.transaction(), access_.space, graph::RelationStore{},
                              read_answer(kept), context.request_id);
            });
      });
}

Page<Relation> Space::relations(const PageRequest& page) const {
  const Reading reading(access_);
  return graph::RelationStore::list(reading.transaction(), access_.space, page);
}

SpaceSettings Space::settings() const {
  const Reading reading(access_);
  return read_settings(
      journal::SpaceStore::find(reading.transaction(), access_.space).value().settings);
}

WriteResult<SpaceRow> Space::configure(const SpaceSettings& settings,
                                       const WriteOptions& options) const {
  return set(settings, nullptr, options);
}

WriteResult<SpaceRow> Space::configure(const SpaceSettings& settings, const SpaceSettings& read,
                                       const WriteOptions& options) const {
  return set(settings, &read, options);
}

WriteResult<SpaceRow> Space::set(const SpaceSettings& settings, const SpaceSettings* read,
                                 const WriteOptions& options) const {
  refuse_vectors(options, "not be given with settings");
  const JsonObject text = to_json(settings);
  (void)read_settings(text);
  const auto context = write_context(access_, options);
  const Asked asked(options, [&] {
    return "configure " + text.text() + (read == nullptr ? "" : " from " + to_json(*read).text());
  });
  const auto change = [&](journal::Appender& appender) {
    auto row = journal::SpaceStore::find(appender.transaction(), access_.space).value();
    const Expected as_read{.revision = row.revision, .deleted_at = row.deleted_at};
    WriteResult<SpaceRow> same;
    same.outcome = Outcome::unchanged;
    same.current = row;
    const SpaceSettings now = read_settings(row.settings);
    if (!storage::holds("space.configure", "read", read == nullptr || now == *read)) {
      same.outcome = Outcome::revision_moved;
      return same;
    }
    if (now == settings) return same;
    row.settings = text;
    row.revision = next_revision(appender.now(), row.revision);
    return journal::SpaceStore::replace_if_unchanged(appender, row, as_read);
  };
  return submit_write<WriteResult<SpaceRow>>(
      access_, context, "space", [&](journal::Appender& appender) {
        return asked.in(appender, change, [&](const JsonObject& kept) {
          return repeated(appender.transaction(), access_.space, journal::SpaceStore{},
                          read_answer(kept), context.request_id);
        });
      });
}

PlanResult Space::apply(const Plan& plan, const WriteOptions& options) const {
  refuse_vectors(options, "be given with the plan's steps");
  const auto what = [&] { return "plan\n" + plan.text(); };
  return apply_plan(access_, note_store_, {.plan = plan, .what = what}, options).result;
}

PlanResult Space::check(const Plan& plan) const {
  return check_plan(access_, note_store_, {.plan = plan}).result;
}

std::optional<journal::RequestRecord> Space::find_request(std::string_view request_id) const {
  // In a write transaction: the writer settles a commit of unknown outcome before it begins one.
  std::optional<journal::RequestRecord> record;
  access_.database.writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::tail(transaction, access_.space);  // the space must be there
        record = journal::find_request(transaction, access_.space, request_id);
        return storage::Verdict::undo;
      },
      request_id);
  return record;
}

PlanResult Space::apply_in(journal::Appender& appender, const Plan& plan) const {
  return PlanRun(appender, note_store_, plan).run();
}

journal::Tail Space::tail() const { return Reading(access_).tail(); }

std::vector<Event> Space::tail(Sequence after, std::size_t limit,
                               std::chrono::milliseconds wait) const {
  core::check_limit("limit", limit);
  const journal::Feed feed{.database = access_.database,
                           .environment = access_.environment,
                           .space = access_.space};
  return feed.read(after, limit, wait);
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
