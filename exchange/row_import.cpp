#include "row_import.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/graph/key_store.h>

#include "row_kinds.h"

namespace holdfast::exchange {
namespace {

template <class Row>
bool says_the_same(const Row& stored, Row wanted) {
  // What was imported in place of a later revision has a later one than the source.
  wanted.revision = std::max(wanted.revision, stored.revision);
  wanted.seq = stored.seq;
  if constexpr (std::is_same_v<Row, Note>) wanted.about_is_deleted = stored.about_is_deleted;
  return wanted == stored;
}

bool has_moved(const Edge& stored, const Edge& wanted) {
  return stored.source != wanted.source || stored.relation != wanted.relation ||
         stored.target != wanted.target || stored.valid_from != wanted.valid_from;
}

std::string at_revision(Revision revision) {
  return "at revision " + std::to_string(revision.us);
}

/// Why no write can make the one of the other; empty when one can.
template <class Row>
std::string unchangeable(const Row& stored, const Row& wanted) {
  if (stored.created_at != wanted.created_at) {
    return "was created at another time than the source's row of this id";
  }
  if constexpr (std::is_same_v<Row, Edge>) {
    if (!stored.deleted_at && !wanted.deleted_at) return "";
    if (has_moved(stored, wanted)) return "has other ends, and only a live edge can be moved";
    if (stored.deleted_at && wanted.deleted_at &&
        (stored.valid_to != wanted.valid_to || stored.deleted_with != wanted.deleted_with)) {
      return "is deleted, and its valid_to and deleted_with cannot change while it is";
    }
  }
  return "";
}

std::string in_words(Outcome outcome) {
  switch (outcome) {
    case Outcome::key_taken: return "another live row has its key";
    case Outcome::overlaps: return "another edge of its triple holds over part of its time";
    case Outcome::endpoint_missing: return "an entity that it refers to is not live here";
    case Outcome::loop_refused: return "its ends are one entity, which its relation does not allow";
    case Outcome::relation_undeclared: return "the space demands declared relations";
    case Outcome::kind_refused: return "its relation does not link entities of these kinds";
    case Outcome::in_use: return "edges here contradict this declaration";
    case Outcome::purged: return "was purged here, and its id is never used again";
    default: return "the write ended in " + std::string(to_string(outcome));
  }
}

/// What a declared key of the space refuses in the row; empty when nothing.
template <class Row>
std::string unkeyable(journal::Appender& appender, const Row& wanted) {
  if constexpr (std::is_same_v<Row, Entity>) {
    try {
      (void)graph::KeyStore::keys_of(appender.generations(), wanted);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
  }
  return "";
}

/// Edges of a symmetric relation are stored once, ends in the order of their ids.
template <class Row>
void put_in_order(storage::Transaction& transaction, const Space& space, Row& wanted) {
  if constexpr (std::is_same_v<Row, Edge>) {
    if (wanted.source < wanted.target || wanted.source == wanted.target) return;
    const auto relation =
        graph::RelationStore::find(transaction, space.name(), wanted.relation);
    if (relation && relation->symmetric) std::swap(wanted.source, wanted.target);
  }
}

}  // namespace

std::optional<Edge> holder_of_place(storage::Transaction& transaction, const Space& space,
                                    const Edge& edge) {
  for (const EntityId end : {edge.source, edge.target}) {
    if (!graph::EntityStore::find(transaction, space.name(), end)) return std::nullopt;
  }
  EdgeFilter filter;
  filter.source = edge.source;
  filter.target = edge.target;
  filter.relation = edge.relation;
  const auto found = graph::EdgeStore::list(transaction, space.name(), filter,
                                            {.limit = 10'000, .cursor = {}});
  for (const Edge& other : found.items) {
    const bool is_before = other.valid_to && edge.valid_from && *other.valid_to <= *edge.valid_from;
    const bool is_after = edge.valid_to && other.valid_from && *edge.valid_to <= *other.valid_from;
    if (other.id != edge.id && !is_before && !is_after) return other;
  }
  return std::nullopt;
}

RowImport::RowImport(const Space& space, const ImportControl& control, ImportReport& report)
    : space_(space), control_(control), report_(report) {}

template <class Row>
Verdict<Row> RowImport::judge(storage::Transaction& transaction, Row& wanted) const {
  using Deed = typename Verdict<Row>::Deed;
  put_in_order(transaction, space_, wanted);
  Verdict<Row> verdict;
  verdict.stored = RowKind<Row>::find(transaction, space_, wanted);
  if (!verdict.stored) return verdict;
  const Row& stored = *verdict.stored;
  if (!rules.are_exported) {
    wanted.created_at = stored.created_at;
    wanted.revision = stored.revision;
  }
  verdict.deed = Deed::leave;
  if (says_the_same(stored, wanted)) return verdict;
  verdict.deed = Deed::keep;
  if (const auto held = held_.find(stored.id.uuid); held != held_.end()) {
    verdict.why = held->second;
    return verdict;
  }
  if (rules.mode != ImportMode::replace) {
    verdict.why = "differs from the source, " + at_revision(stored.revision);
    return verdict;
  }
  const auto last = journal::last_event(transaction, space_.name(), RowKind<Row>::kName,
                                        stored.id.uuid);
  if (last && last->actor != space_.access().actor) {
    verdict.why = "was written by " + last->actor + ", " + at_revision(stored.revision);
    return verdict;
  }
  verdict.why = unchangeable(stored, wanted);
  if (verdict.why.empty()) verdict.deed = Deed::replace;
  return verdict;
}

template <class Row>
WriteResult<Row> RowImport::apply(journal::Appender& appender, Row wanted,
                                  const Verdict<Row>& verdict) const {
  using Kind = RowKind<Row>;
  if (!verdict.stored) {
    if (!rules.are_exported) {
      wanted.created_at = appender.now();
      wanted.revision = first_revision(appender.now());
      if constexpr (std::is_same_v<Row, Note>) {
        return space_.note_store().insert_if_absent(appender, std::move(wanted));
      }
    }
    return Kind::insert(appender, space_, std::move(wanted));
  }
  const Row& stored = *verdict.stored;
  const Expected expected{.revision = stored.revision, .deleted_at = stored.deleted_at};
  if (wanted.revision <= stored.revision) {
    wanted.revision = next_revision(appender.now(), stored.revision);
  }
  if (!stored.deleted_at && wanted.deleted_at) {
    return Kind::remove(appender, space_, std::move(wanted), expected);
  }
  if (stored.deleted_at && !wanted.deleted_at) {
    return Kind::restore(appender, space_, std::move(wanted), expected);
  }
  if constexpr (std::is_same_v<Row, Edge>) {
    if (has_moved(stored, wanted)) {
      // Retargeting onto a live edge would delete this one.
      auto holder = holder_of_place(appender.transaction(), space_, wanted);
      if (!holder) return graph::EdgeStore::retarget(appender, std::move(wanted), expected);
      WriteResult<Edge> taken;
      taken.outcome = Outcome::key_taken;
      taken.current = std::move(holder);
      return taken;
    }
  }
  return Kind::replace(appender, space_, std::move(wanted), expected);
}

template <class Row>
void RowImport::keep(const Row& row, std::string why, bool refuses, Batch& batch) const {
  const std::string name = RowKind<Row>::name(row);
  if (refuses) refuse(RowKind<Row>::kName, name, why);
  batch.kept.push_back({std::string(RowKind<Row>::kName), name, std::move(why)});
}

template <class Row>
void RowImport::settle(const Row& row, std::size_t at, const WriteResult<Row>& result, bool is_new,
                       bool may_wait, Batch& batch) const {
  if (result.applied()) {
    ++(is_new ? batch.counts.created : batch.counts.replaced);
    return;
  }
  const bool may_be_free_later =
      result.outcome == Outcome::key_taken || result.outcome == Outcome::overlaps;
  if (may_be_free_later && may_wait) return batch.waiting.push_back(at);
  std::string why = in_words(result.outcome);
  if (result.current && may_be_free_later) why += ": " + to_string(result.current->id);
  keep(row, std::move(why), rules.refuses_skipped, batch);
  ++batch.counts.skipped;
}

template <class Row>
void RowImport::write_one(journal::Appender& appender, std::span<const Row> rows, std::size_t at,
                          bool may_wait, Batch& batch) const {
  using Deed = typename Verdict<Row>::Deed;
  if (std::string why = unkeyable(appender, rows[at]); !why.empty()) {
    keep(rows[at], std::move(why), rules.refuses_skipped, batch);
    ++batch.counts.skipped;
    return;
  }
  // Where rows are new, the insert alone finds that out.
  if (batch.expects_absent) {
    const auto result = apply(appender, rows[at], Verdict<Row>{});
    if (result.outcome != Outcome::exists) {
      return settle(rows[at], at, result, true, may_wait, batch);
    }
  }
  Row wanted = rows[at];
  const auto verdict = judge(appender.transaction(), wanted);
  batch.expects_absent = verdict.deed == Deed::create;
  if (verdict.deed == Deed::leave) {
    ++batch.counts.existing;
  } else if (verdict.deed == Deed::keep) {
    keep(rows[at], verdict.why, rules.refuses_kept, batch);
    ++batch.counts.kept;
  } else {
    const auto result = apply(appender, std::move(wanted), verdict);
    settle(rows[at], at, result, !verdict.stored, may_wait, batch);
  }
}

template <class Row>
auto RowImport::run(std::span<const Row> rows, bool may_wait) -> Batch {
  Batch batch;
  space_.write([&](journal::Appender& appender) {
    batch = {};
    batch.expects_absent = expects_absent_;
    if (rules.lifts_settings) appender.lift_settings();
    for (std::size_t at = 0; at < rows.size(); ++at) {
      write_one(appender, rows, at, may_wait, batch);
    }
  });
  expects_absent_ = batch.expects_absent;
  return batch;
}

template <class Row>
void RowImport::note(const Batch& batch) {
  ImportCount& counts = report_.*RowKind<Row>::kCount;
  counts.created += batch.counts.created;
  counts.existing += batch.counts.existing;
  counts.replaced += batch.counts.replaced;
  counts.kept += batch.counts.kept;
  counts.skipped += batch.counts.skipped;
  report_.kept_total += batch.kept.size();
  for (const KeptRow& row : batch.kept) {
    if (report_.kept.size() < kKeptRowsMax) report_.kept.push_back(row);
  }
}

bool RowImport::goes_on(std::size_t rows) {
  progress.done += rows;
  if (!control_ || control_(progress)) return true;
  report_.complete = false;
  return false;
}

template <class Row>
bool RowImport::write(std::span<const Row> rows) {
  if (rows.empty()) return true;
  const Batch batch = run(rows, true);
  note<Row>(batch);
  auto& waiting = std::get<std::vector<Row>>(waiting_);
  for (const std::size_t at : batch.waiting) waiting.push_back(rows[at]);
  return goes_on(rows.size() - batch.waiting.size());
}

template <class Row>
bool RowImport::finish() {
  auto waiting = std::exchange(std::get<std::vector<Row>>(waiting_), {});
  bool may_wait = true;
  while (!waiting.empty()) {
    std::vector<Row> left;
    for (std::size_t first = 0; first < waiting.size(); first += kRowsAtOnce) {
      const auto rows = std::span<const Row>(waiting).subspan(
          first, std::min(kRowsAtOnce, waiting.size() - first));
      const Batch batch = run(rows, may_wait);
      note<Row>(batch);
      for (const std::size_t at : batch.waiting) left.push_back(rows[at]);
      if (!goes_on(rows.size() - batch.waiting.size())) return false;
    }
    may_wait = left.size() < waiting.size();
    waiting = std::move(left);
  }
  return true;
}

template <class Row>
bool RowImport::write_all(std::span<const Row> rows) {
  for (std::size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    if (!write(rows.subspan(first, std::min(kRowsAtOnce, rows.size() - first)))) return false;
  }
  return finish<Row>();
}

template <class Row>
void RowImport::refuse_conflicts(storage::Transaction& transaction,
                                 std::span<const Row> rows) const {
  for (const Row& row : rows) {
    Row wanted = row;
    const auto verdict = judge(transaction, wanted);
    if (verdict.deed == Verdict<Row>::Deed::keep) {
      refuse(RowKind<Row>::kName, RowKind<Row>::name(row), verdict.why);
    }
  }
}

void RowImport::refuse(std::string_view kind, const std::string& name, const std::string& why) {
  throw Conflict(std::string(kind) + " " + name + ": " + why + "; the source says otherwise");
}

template Verdict<Relation> RowImport::judge(storage::Transaction&, Relation&) const;
template Verdict<Entity> RowImport::judge(storage::Transaction&, Entity&) const;
template Verdict<Note> RowImport::judge(storage::Transaction&, Note&) const;
template Verdict<Edge> RowImport::judge(storage::Transaction&, Edge&) const;
template Verdict<ScheduledEvent> RowImport::judge(storage::Transaction&, ScheduledEvent&) const;
template bool RowImport::write(std::span<const Relation>);
template bool RowImport::write(std::span<const Entity>);
template bool RowImport::write(std::span<const Note>);
template bool RowImport::write(std::span<const Edge>);
template bool RowImport::write(std::span<const ScheduledEvent>);
template bool RowImport::finish<Relation>();
template bool RowImport::finish<Entity>();
template bool RowImport::finish<Note>();
template bool RowImport::finish<Edge>();
template bool RowImport::finish<ScheduledEvent>();
template bool RowImport::write_all(std::span<const Relation>);
template bool RowImport::write_all(std::span<const Entity>);
template bool RowImport::write_all(std::span<const Note>);
template bool RowImport::write_all(std::span<const Edge>);
template bool RowImport::write_all(std::span<const ScheduledEvent>);
template void RowImport::refuse_conflicts(storage::Transaction&,
                                          std::span<const Relation>) const;
template void RowImport::refuse_conflicts(storage::Transaction&,
                                          std::span<const Entity>) const;
template void RowImport::refuse_conflicts(storage::Transaction&,
                                          std::span<const Note>) const;
template void RowImport::refuse_conflicts(storage::Transaction&,
                                          std::span<const Edge>) const;

}  // namespace holdfast::exchange
