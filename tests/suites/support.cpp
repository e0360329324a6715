#include "suites/support.h"

#include <holdfast/graph/relation_store.h>

namespace holdfast::test {
namespace {

std::vector<journal::Source> sources() {
  return {journal::SpaceStore::source(), graph::EntityStore::source(),
          graph::RelationStore::source(), graph::EdgeStore::source(), notes::NoteStore::source(),
          schedule::EventStore::source()};
}

}  // namespace

std::string picture(Store& store) {
  const auto snapshot = store.database().snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  std::string text;
  for (const std::string& space : journal::SpaceStore::names(transaction, {}).items) {
    const journal::Tail tail = journal::tail(transaction, space);
    text += space + " ends at " + std::to_string(tail.seq) + ", " + to_rfc3339(tail.at) + "\n";
    for (const journal::Source& source : sources()) {
      source.walk(transaction, space, [&](const journal::StoredRow& row) {
        text += std::string(source.kind) + " " + std::to_string(row.seq) + " " + row.body + "\n";
      });
    }
  }
  return text;
}

std::set<std::string> broken_checks(Store& store) {
  std::set<std::string> checks;
  for (const journal::Finding& finding : store.verify().findings) checks.insert(finding.check);
  return checks;
}

void plant(Store& store, std::string_view sql) {
  store.database().writer().submit(
      [sql](storage::Transaction& transaction) {
        transaction.prepare(sql).run();
        return storage::Verdict::keep;
      },
      "plant");
}

std::vector<Event> journal_of(Store& store, std::string_view space) {
  const auto snapshot = store.database().snapshot();
  return journal::read_after(snapshot->transaction(), space, 0, 10'000);
}

Timestamp at_us(std::int64_t us) {
  return parse_timestamp("start", "2026-01-01T00:00:00Z") + std::chrono::microseconds(us);
}

std::unique_ptr<Store> open_in_real_time(TestStore& store) {
  StoreOptions options;
  options.database = store.backend->options();
  options.embedders = store.embedders;
  return Store::open(options);
}

Edge edge_between(EntityId source, const std::string& relation, EntityId target) {
  Edge edge;
  edge.source = source;
  edge.relation = relation;
  edge.target = target;
  return edge;
}

Relation relation_named(const std::string& name) {
  Relation relation;
  relation.relation = name;
  return relation;
}

Relation symmetric_relation(const std::string& name) {
  Relation relation = relation_named(name);
  relation.symmetric = true;
  return relation;
}

}  // namespace holdfast::test
