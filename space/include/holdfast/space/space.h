#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/graph/neighbors.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/graph/traversal.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/requests.h>
#include <holdfast/journal/space_store.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/schedule/event_store.h>
#include <holdfast/space/collection.h>
#include <holdfast/space/models.h>
#include <holdfast/space/plan.h>
#include <holdfast/space/projections.h>
#include <holdfast/space/similar.h>
#include <holdfast/space/transaction.h>

namespace holdfast {

/// Where a front end's reading begins.
struct Beginning {
  journal::Tail tail;
  ReadToken read_token;  ///< for Plan::rest_on(), or as text in a plan's document
};

/// One namespace of a store, bound for the life of the handle: nothing here reaches another space.
/// Thread safety: any thread. Must not outlive its Store.
class Space {
 public:
  explicit Space(Access access);

  const std::string& name() const { return access_.space; }
  /// For importers and exporters: the database below, and who acts.
  const Access& access() const { return access_; }

  const Collection<graph::EntityStore>& entities() const { return entities_; }
  const Collection<graph::EdgeStore>& edges() const { return edges_; }
  const Collection<notes::NoteStore>& notes() const { return notes_; }
  /// What is to happen later; who carries it out is a Scheduler. A plan that an event applies is
  /// judged when the event is written.
  const Collection<schedule::EventStore>& events() const { return events_; }

  /// For write(): notes' rules need to know the other stores.
  const notes::NoteStore& note_store() const { return note_store_; }

  /// The live note that has this key, expired or not: it keeps the key until it is deleted.
  std::optional<Note> find_note(std::string_view key) const;

  /// The live edges at an entity with their other ends. Throws NotFound for an unknown entity.
  Page<Neighbor> neighbors(EntityId entity, const NeighborFilter& filter = {},
                           const PageRequest& page = {}) const;
  /// Sequence of the last change to any edge at the entity: names its neighbourhood as read.
  Sequence neighborhood_seq(EntityId entity) const;

  /// What can be reached from an entity, or from several together, breadth first: each entity once,
  /// by the first edge that reaches it. At a node, outgoing edges come before incoming ones, then
  /// by relation in byte order, the other end's id and the start of validity; caps cut in that
  /// order. Reflects every write that was acknowledged before the call. Throws NotFound for a start
  /// that is not there or deleted, InvalidArgument for what breaks a limit of core/limits.h.
  Traversal traverse(EntityId start, const TraversalOptions& options = {}) const;
  Traversal traverse(std::span<const EntityId> starts, const TraversalOptions& options = {}) const;
  /// How many entities traverse() would reach from the start; of several starts, from each by
  /// itself, all of one instant.
  ReachCount count_reachable(EntityId start, const TraversalOptions& options = {}) const;
  std::vector<ReachCount> count_reachable(std::span<const EntityId> starts,
                                          const TraversalOptions& options = {}) const;
  /// The path of fewest hops; of several, the one that traverse() meets first.
  Path shortest_path(EntityId from, EntityId to, const TraversalOptions& options) const;

  /// How the space's graph is held in memory now.
  AdjacencyStatus adjacency_status() const;
  /// Frees it; it is loaded again when that pays.
  void unload_adjacency() const;

  /// Gives the entity another name; everything else, its id included, stays. As a patch.
  WriteResult<Entity> rename_entity(EntityId entity, std::string_view name,
                                    const std::optional<Expected>& expected = {},
                                    const WriteOptions& options = {}) const;

  /// Moves a live edge to another triple or validity. Outcomes: applied; absorbed, when a live
  /// edge, `current`, has that place already: it stays as it is, and the moved one is deleted;
  /// unchanged; missing, revision_moved, deletion_changed; and those of the rules of an insert.
  WriteResult<Edge> retarget_edge(EdgeId edge, const EdgeMove& to,
                                  const std::optional<Expected>& expected = {},
                                  const WriteOptions& options = {}) const;

  /// Declares what edges of a relation may do. Outcomes: applied, unchanged, in_use.
  WriteResult<Relation> declare_relation(const Relation& relation,
                                         const WriteOptions& options = {}) const;
  /// The declared relations, by name.
  Page<Relation> relations(const PageRequest& page = {}) const;

  /// Declares that the entities' values at one place are unique, and makes them a way to look
  /// entities up. Rows that are there are taken in by and by, while others write; from the moment
  /// it is in force, a write that would give two live entities one key is refused with `key_taken`
  /// and the entity that has it: each write by itself, so two entities of one plan swap their keys
  /// by way of a third value. Rows that clash already refuse the declaration and are listed.
  /// Takes no request id, nor do the calls below: asked again, it finds what is there, or goes on
  /// with what was stopped. Throws Full beyond 64 projections.
  DeclareKeyResult declare_key(const KeyDeclaration& key,
                               const journal::RebuildOptions& options = {},
                               const journal::RebuildControl& control = {}) const;
  /// Takes it back, with all that was stored for it. False when there is no such key.
  bool undeclare_key(std::string_view name) const;
  /// By name, those included that are not in force yet.
  std::vector<KeyDeclaration> keys() const;
  /// The live entity that has the key. Throws NotFound("key") for a key that is not declared,
  /// Unavailable while it is not in force.
  std::optional<Entity> find_by_key(std::string_view key, const KeyValue& value) const;

  /// What is derived from the rows: how far it is, and rebuilding it.
  Projections projections() const { return Projections(access_); }
  /// How the rows' texts become vectors.
  Models models() const { return Models(access_); }

  /// The rows whose texts are nearest to something, by the vectors of a model, as of one sequence
  /// of the journal: never older than the call, and always as many as there are, up to `k`. Throws
  /// NotFound for a model or row that is not there, or when none is named and the space has no
  /// default; Unavailable while no generation of the model serves; InvalidArgument; Conflict for a
  /// vector that another generation has made; for a text, what its embedder throws.
  SimilarAnswer similar(const SimilarRequest& request) const;
  /// How a model's vectors are held in memory now, and in the file beside the database. A name that
  /// is empty, here and below, means the default.
  IndexStatus index_status(std::string_view model = {}) const;
  /// Makes the index, or loads it, and waits for it: what the first searches leave to the
  /// background.
  void load_index(std::string_view model = {}) const;
  /// Compares the index with the vectors that are stored, and searches each by itself. `go_on` is
  /// asked now and then; false stops it.
  IndexVerification verify_index(std::string_view model = {},
                                 const std::function<bool()>& go_on = {}) const;
  /// Folds everything in, drops what is nobody's any more, writes the file, removes files that
  /// belong to no index, and gives free pages of the database back.
  IndexCompaction compact_index(std::string_view model = {}) const;
  /// Has every process index the model by these parameters from now on; makes the index of this
  /// one. Nothing is embedded anew. See Models::rebuild() for that.
  void rebuild_index(std::string_view model, const IndexParameters& parameters) const;
  /// Frees the index; the next search makes it again.
  void unload_index(std::string_view model = {}) const;

  SpaceSettings settings() const;
  /// Sets all of the settings. Outcomes: applied, unchanged. A limit below what the space holds
  /// only keeps it from growing.
  WriteResult<SpaceRow> configure(const SpaceSettings& settings,
                                  const WriteOptions& options = {}) const;
  /// The same, provided that they still are as they were `read`: revision_moved when they are not.
  WriteResult<SpaceRow> configure(const SpaceSettings& settings, const SpaceSettings& read,
                                  const WriteOptions& options = {}) const;

  /// An empty plan, whose new rows get ids of this store's making.
  Plan plan() const { return Plan(access_.environment.ids); }
  /// Reads a plan's JSON form; see Plan::parse().
  Plan parse_plan(const JsonObject& document) const {
    return Plan::parse(document, access_.environment.ids);
  }
  /// Applies all of a plan or nothing. Without a request id of the caller's one is made, and the
  /// answer is kept under it all the same.
  PlanResult apply(const Plan& plan, const WriteOptions& options = {}) const;
  /// Makes exactly the checks that apply() makes, and writes nothing. What is kept for a request
  /// is not looked at. Takes the writer's turn all the same, so the database must be open for
  /// writing.
  PlanResult check(const Plan& plan) const;

  /// Runs `fn`, which reads and asks for changes as if it were alone, and makes its changes if all
  /// that it read is still so, under the space's lock; when that has moved it runs again, after a
  /// growing random pause. While `fn` runs nothing is locked and no read transaction is open: it
  /// may take minutes. It must not write to the store by other ways, nor keep what an earlier run
  /// gave it, and must let the Transaction's own exceptions pass. What it throws itself comes out
  /// when its reads hold, and makes it run again when they have moved.
  ///
  /// The answer has a step for each change, in order. `refused`: everything read still holds, but
  /// a rule forbids a change (key_taken, endpoint_missing, ...); nothing was written. Throws
  /// TransactConflict when every attempt met a conflict. With a request id, whose whole request is
  /// "this transaction", an answer that is kept is given without running `fn`.
  PlanResult transact(const std::function<void(Transaction&)>& fn,
                      const TransactOptions& options = {}) const;

  /// A token for a plan that will rest on what is read from now on: `expect_unchanged` and
  /// `expect_neighborhood` without numbers of their own then mean "since the token". The store
  /// keeps nothing for it. apply() throws InvalidArgument("read_token") for that of another space,
  /// of one that was made anew, or of a line of history that is no longer this one.
  Beginning begin() const;

  /// Makes a plan within a write that is under way in this space. The caller undoes what the write
  /// has done unless the answer is `applied`.
  PlanResult apply_in(journal::Appender& appender, const Plan& plan) const;

  /// Whether and where the request of that id was applied: settles what became of a write that
  /// ended in OutcomeUnknown. Throws Unavailable while that cannot be known yet. Requests of single
  /// rows whose id the store made are found in the row's history instead.
  std::optional<journal::RequestRecord> find_request(std::string_view request_id) const;

  /// Where the space's journal ends.
  journal::Tail tail() const;
  /// Up to `limit` (1 to 10,000) events after `after`, oldest first and without gaps. When there
  /// are none yet, waits until there are, at most `wait`; writes of any process end the wait, a
  /// second late at most when the process was killed just behind its commit.
  /// Empty when the time is up.
  std::vector<Event> tail(Sequence after, std::size_t limit,
                          std::chrono::milliseconds wait = {}) const;

  /// One transaction over this space's line of history, for importers: what `change` does lands
  /// whole or, when it throws, not at all. It may run more than once; see storage::Writer.
  void write(const std::function<void(journal::Appender&)>& change) const;

 private:
  WriteResult<SpaceRow> set(const SpaceSettings& settings, const SpaceSettings* read,
                            const WriteOptions& options) const;

  Access access_;
  Collection<graph::EntityStore> entities_;
  Collection<graph::EdgeStore> edges_;
  Collection<notes::NoteStore> notes_;
  Collection<schedule::EventStore> events_;
  notes::NoteStore note_store_;
};

}  // namespace holdfast
