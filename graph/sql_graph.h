#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/graph/traversal.h>
#include <holdfast/storage/statement.h>
#include <holdfast/storage/transaction.h>

#include "id_table.h"
#include "search.h"

namespace holdfast::graph {

/// What a search wants to know of an edge besides where it leads.
enum class EdgeDetail { none, ids };

/// A space's live edges for search(), by prepared statements on the indexes of either end.
/// Entities get numbers as they are met. Thread safety: that of the transaction.
class SqlGraph {
 public:
  static constexpr bool kGrows = true;
  using Via = EdgeId;
  struct FoundEdge {
    EdgeId id{};
    std::int64_t valid_from = 0;
    std::int64_t valid_to = 0;
  };

  /// All must outlive it.
  SqlGraph(storage::Transaction& transaction, std::string_view space,
           const TraversalOptions& options, EdgeDetail detail);

  std::uint32_t number(EntityId entity) { return entities_.find_or_add(entity); }
  /// Numbers begin anew: a search is quicker over the few entities of its own.
  void forget_entities() { entities_.clear(); }
  EntityId entity(std::uint32_t node) const { return entities_[node]; }
  std::size_t nodes() const { return entities_.size(); }
  static EdgeId edge(const EdgeId& via) { return via; }
  static EdgeId via(const FoundEdge& edge) { return edge.id; }
  static bool holds(const FoundEdge& edge, std::int64_t time) {
    return edge.valid_from <= time && time < edge.valid_to;
  }

  void expect_soon(std::uint32_t) const {}
  void expect_next(std::uint32_t) const {}

  template <class Visit>
  bool visit(std::uint32_t node, const Visit& visit_edges) {
    for (Side& side : sides_) {
      if (!side.select) continue;
      side.select->bind_at(2, entities_[node]);
      if (side.followed.all) {
        if (!run(*side.select, node, visit_edges)) return false;
        continue;
      }
      for (const std::string& relation : side.followed.some) {
        side.select->bind_at(3, relation);
        if (!run(*side.select, node, visit_edges)) return false;
      }
    }
    return true;
  }

 private:
  struct Side {
    Followed<std::string> followed;
    std::string sql;
    std::unique_ptr<storage::Statement> select;  ///< absent: nothing is followed here
  };

  template <class Visit>
  bool run(storage::Statement& select, std::uint32_t node, const Visit& visit_edges) {
    // Whatever ends the rows early, the statement can be bound again.
    const struct Reset {
      storage::Statement& statement;
      ~Reset() { statement.reset(); }
    } reset{select};
    for (bool is_there = select.step(); is_there; is_there = select.step_on()) {
      const storage::Row row = select.row();
      const std::uint32_t other = number(row.get<EntityId>(0));
      if (other == node) continue;  // a loop
      FoundEdge edge;
      int column = 1;
      if (has_ids_) edge.id = row.get<EdgeId>(column++);
      if (has_validity_) {
        edge.valid_from = row.get<std::int64_t>(column);
        edge.valid_to = row.get<std::int64_t>(column + 1);
      }
      if (!visit_edges(&other, &edge, 1U)) return false;
    }
    return true;
  }

  std::string text(std::size_t side) const;

  bool has_ids_;
  bool has_validity_;
  IdTable<EntityId> entities_;
  std::array<Side, 2> sides_;
};

}  // namespace holdfast::graph
