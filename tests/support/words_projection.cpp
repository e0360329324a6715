#include "support/words_projection.h"

#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>

namespace holdfast::test {

std::optional<std::string> WordsProjection::input(const JsonObject&, std::string_view,
                                                  const journal::StoredRow& row) const {
  const JsonObject body = JsonObject::trusted(row.body);
  for (const JsonMember& member : body.members()) {
    if (member.key == "name") return graph::EntityStore::from_json(body).name;
  }
  const Edge edge = graph::EdgeStore::from_json(body);
  return edge.relation + " " + to_string(edge.target);
}

std::vector<journal::Derived> WordsProjection::derive(
    const JsonObject&, std::span<const std::string> inputs) const {
  std::vector<journal::Derived> derived;
  for (std::string word : inputs) {
    if (!refused_.empty() && word.find(refused_) != std::string::npos) {
      derived.push_back({.failure = "it holds " + refused_});
      continue;
    }
    for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    derived.push_back({.value = std::move(word)});
  }
  derived_ += inputs.size();
  return derived;
}

std::optional<Uuid> WordsProjection::write(storage::Transaction& transaction,
                                           const journal::DerivedOf& of,
                                           std::string_view derived) const {
  purge(transaction, of);
  auto insert = transaction.prepare(
      "INSERT INTO words (space, name, generation, kind, id, value) VALUES ($1, $2, $3, $4, $5,"
      " $6)");
  insert.bind(of.space, of.projection, of.generation, of.kind, of.id, derived);
  insert.run();
  return std::nullopt;
}

void WordsProjection::purge(storage::Transaction& transaction,
                            const journal::DerivedOf& of) const {
  auto remove = transaction.prepare(
      "DELETE FROM words WHERE space = $1 AND name = $2 AND generation = $3 AND kind = $4"
      " AND id = $5");
  remove.bind(of.space, of.projection, of.generation, of.kind, of.id);
  remove.run();
}

std::optional<std::string> WordsProjection::stored(storage::Transaction& transaction,
                                                   const journal::DerivedOf& of) const {
  auto select = transaction.prepare(
      "SELECT value FROM words WHERE space = $1 AND name = $2 AND generation = $3 AND kind = $4"
      " AND id = $5");
  select.bind(of.space, of.projection, of.generation, of.kind, of.id);
  if (!select.step()) return std::nullopt;
  return select.get<std::string>(0);
}

}  // namespace holdfast::test
