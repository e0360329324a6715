#include <holdfast/space/transaction.h>

#include <memory>

#include <holdfast/core/error.h>
#include <holdfast/graph/key_store.h>
#include <holdfast/graph/neighbors.h>

#include "list_answer.h"
#include "plan_run.h"
#include "transaction_state.h"
#include "transaction_steps.h"

namespace holdfast {
namespace {

void tell_about(PlanStep&, const Entity&) {}
void tell_about(PlanStep&, const Edge&) {}
void tell_about(PlanStep& step, const Note& note) {
  if (note.about) step.about_is_deleted = note.about_is_deleted;
}

template <class Row>
void track_row(TransactionState& state, const Row& row) {
  PlanStep step = read_as(row);
  tell_about(step, row);
  state.track(std::move(step));
}

template <class Row>
std::string text_of(const std::optional<Row>& row, const std::set<Uuid>& written) {
  return row ? seen_form(*row, written) : "not found";
}

std::string text_of(const std::optional<Page<Neighbor>>& page, const std::set<Uuid>& written) {
  if (!page) return "not found";
  std::string text = "neighbors\n";
  for (const Neighbor& one : page->items) {
    text += std::string(to_string(one.direction)) + " " + seen_form(one.edge, written) +
            seen_form(one.entity, written);
  }
  return text + (page->next ? "more " : "end ") + std::to_string(page->left_out) +
         (page->left_out_is_minimum ? "+" : "");
}

/// Lets `ask` read before any own change.
template <class Ask>
auto plainly(TransactionState& state, const Ask& ask) {
  std::optional<decltype(ask(std::declval<storage::Transaction&>()))> answer;
  state.read_plain([&](storage::Transaction& transaction) { answer.emplace(ask(transaction)); });
  return std::move(*answer);
}

/// Lets `ask`, which is kept, read through the own changes so far.
template <class Ask>
auto through(TransactionState& state, std::string what, Ask ask) {
  using Answer = decltype(ask(std::declval<storage::Transaction&>()));
  const auto answer = std::make_shared<Answer>();
  state.read_through(std::move(what), [ask, answer](storage::Transaction& transaction,
                                                    const std::set<Uuid>& written) {
    *answer = ask(transaction);
    return digest_of(text_of(*answer, written));
  });
  return std::move(*answer);
}

}  // namespace

template <class SomeId>
std::optional<RowOf<SomeId>> Transaction::find(SomeId id) {
  TransactionState& state = *state_;
  state.require_going();
  const RowKind kind = kind_of(id);
  return with_store(kind, state.notes, [&](const auto& store) -> std::optional<RowOf<SomeId>> {
    using Store = std::decay_t<decltype(store)>;
    if constexpr (std::is_same_v<typename Store::Row, RowOf<SomeId>>) {
      const auto ask = [&state, store, id](storage::Transaction& transaction) {
        return store.find(transaction, state.access.space, id);
      };
      if (state.may_show(kind, id.uuid)) {
        return through(state, std::string(to_string(kind)) + " " + to_string(id), ask);
      }
      auto row = plainly(state, ask);
      if (row) {
        track_row(state, *row);
      } else {
        state.track(step_of(PlanOp::expect_absent, id));
      }
      return row;
    } else {
      return std::nullopt;
    }
  });
}

template <class SomeId>
RowOf<SomeId> Transaction::get(SomeId id) {
  auto row = find(id);
  if (!row) throw NotFound(std::string(to_string(kind_of(id))), to_string(id));
  return std::move(*row);
}

std::optional<Note> Transaction::find_note(std::string_view key) {
  TransactionState& state = *state_;
  state.require_going();
  const auto ask = [&state, key = std::string(key)](storage::Transaction& transaction) {
    return state.notes.find_key(transaction, state.access.space, key);
  };
  if (state.may_show(RowKind::note)) return through(state, "note key " + std::string(key), ask);
  auto note = plainly(state, ask);
  if (note) {
    track_row(state, *note);  // while it is so, its key leads to it and to no other
  } else {
    PlanStep absent;
    absent.op = PlanOp::expect_absent;
    absent.kind = RowKind::note;
    absent.key = key;
    state.track(std::move(absent));
  }
  return note;
}

std::optional<Entity> Transaction::find_by_key(std::string_view key, const KeyValue& value) {
  TransactionState& state = *state_;
  state.require_going();
  const auto ask = [&state, key = std::string(key), value](storage::Transaction& transaction) {
    return graph::KeyStore::find(transaction, state.access.space, key, value);
  };
  if (state.may_show(RowKind::entity)) {
    return through(state, "key " + std::string(key) + " " + value.json(), ask);
  }
  auto entity = plainly(state, ask);
  PlanStep read = step_of(PlanOp::expect_key, entity ? entity->id : EntityId{});
  read.key = key;
  read.value = value;
  state.track(std::move(read));
  if (entity) track_row(state, *entity);
  return entity;
}

Page<Neighbor> Transaction::neighbors(EntityId entity, const NeighborFilter& filter,
                                      const PageRequest& page) {
  TransactionState& state = *state_;
  state.require_going();
  using Found = std::optional<Page<Neighbor>>;
  const auto ask = [&state, entity, filter, page](storage::Transaction& transaction) -> Found {
    try {
      return graph::neighbors(transaction, state.access.space, entity, filter, page);
    } catch (const NotFound&) {
      return std::nullopt;
    }
  };
  const auto required = [&](Found found) {
    if (!found) throw NotFound("entity", to_string(entity));
    return std::move(*found);
  };
  if (state.may_show(RowKind::entity) || state.may_show(RowKind::edge)) {
    return required(through(state, "neighbors of entity " + to_string(entity), ask));
  }
  Sequence seq = 0;
  Found found = plainly(state, [&](storage::Transaction& transaction) {
    Found answer = ask(transaction);
    if (answer) seq = graph::neighborhood_seq(transaction, state.access.space, entity);
    return answer;
  });
  PlanStep read =
      step_of(found ? PlanOp::expect_neighborhood : PlanOp::expect_absent, entity);
  read.seq = seq;
  state.track(std::move(read));
  if (found) {
    for (const Neighbor& one : found->items) track_row(state, one.entity);
  }
  return required(std::move(found));
}

namespace {

ListAnswer answer(TransactionState& state, ListRequest request) {
  state.require_going();
  const RowKind kind = static_cast<RowKind>(request.filter.index());
  const auto ask = [&state, request](storage::Transaction& transaction) {
    return answer_of(transaction, state.access.space, state.notes, request);
  };
  ListAnswer found;
  if (state.may_show(kind)) {
    const auto shown = std::make_shared<ListAnswer>();
    state.read_through("list " + request.to_json(),
                       [ask, shown](storage::Transaction& transaction,
                                    const std::set<Uuid>& written) {
                         *shown = ask(transaction);
                         return shown->digest(written);
                       });
    found = std::move(*shown);
  } else {
    found = plainly(state, ask);
    PlanStep read;
    read.op = PlanOp::expect_list;
    read.kind = kind;
    read.list = std::move(request);
    read.digest = found.digest();
    state.track(std::move(read));
  }
  if (!found.missing.empty()) throw NotFound("entity", found.missing);
  return found;
}

EntityFilter at(const EntityFilter& filter, Timestamp) { return filter; }
EdgeFilter at(const EdgeFilter& filter, Timestamp) { return filter; }
NoteFilter at(NoteFilter filter, Timestamp time) {
  if (!filter.live_at) filter.live_at = time;
  return filter;
}

template <class Row, class Filter>
Page<Row> page_of(TransactionState& state, const Filter& filter, const PageRequest& page) {
  return std::get<Page<Row>>(
      answer(state, {.filter = at(filter, state.started_at), .is_count = false, .page = page})
          .found);
}

template <class Filter>
std::uint64_t count_of(TransactionState& state, const Filter& filter) {
  return std::get<std::uint64_t>(
      answer(state, {.filter = at(filter, state.started_at), .is_count = true, .page = {}}).found);
}

}  // namespace

Page<Entity> Transaction::list(const EntityFilter& filter, const PageRequest& page) {
  return page_of<Entity>(*state_, filter, page);
}
Page<Edge> Transaction::list(const EdgeFilter& filter, const PageRequest& page) {
  return page_of<Edge>(*state_, filter, page);
}
Page<Note> Transaction::list(const NoteFilter& filter, const PageRequest& page) {
  return page_of<Note>(*state_, filter, page);
}
std::uint64_t Transaction::count(const EntityFilter& filter) { return count_of(*state_, filter); }
std::uint64_t Transaction::count(const EdgeFilter& filter) { return count_of(*state_, filter); }
std::uint64_t Transaction::count(const NoteFilter& filter) { return count_of(*state_, filter); }

template std::optional<Entity> Transaction::find(EntityId);
template std::optional<Edge> Transaction::find(EdgeId);
template std::optional<Note> Transaction::find(NoteId);
template Entity Transaction::get(EntityId);
template Edge Transaction::get(EdgeId);
template Note Transaction::get(NoteId);

}  // namespace holdfast
