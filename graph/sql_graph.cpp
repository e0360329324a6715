#include "sql_graph.h"

namespace holdfast::graph {
namespace {

std::vector<std::string> symmetric_relations(storage::Transaction& transaction,
                                             std::string_view space) {
  auto select = transaction.prepare(
      "SELECT relation FROM relations WHERE space = $1 AND symmetric = 1 AND deleted_at IS NULL"
      " ORDER BY relation");
  select.bind(space);
  std::vector<std::string> relations;
  while (select.step()) relations.push_back(select.get<std::string>(0));
  return relations;
}

}  // namespace

SqlGraph::SqlGraph(storage::Transaction& transaction, std::string_view space,
                   const TraversalOptions& options, EdgeDetail detail)
    : has_ids_(detail == EdgeDetail::ids), has_validity_(options.valid_at.has_value()) {
  std::vector<std::string> symmetric;
  if (options.direction != Direction::both) symmetric = symmetric_relations(transaction, space);
  auto followed = followed_sides(
      options.direction, options.relations.empty() ? nullptr : &options.relations, symmetric);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_[i];
    side.followed = std::move(followed[i]);
    if (side.followed.none()) continue;
    side.sql = text(i);
    side.select.reset(new storage::Statement(transaction.prepare(side.sql)));
    side.select->bind_at(1, space);
  }
}

std::string SqlGraph::text(std::size_t side) const {
  const std::string here = side == 0 ? "source" : "target";
  const std::string there = side == 0 ? "target" : "source";
  std::string sql = "SELECT " + there;
  if (has_ids_) sql += ", id";
  if (has_validity_) sql += ", valid_from, valid_to";
  sql += " FROM edges WHERE space = $1 AND " + here + " = $2";
  if (!sides_[side].followed.all) sql += " AND relation = $3";
  return sql + " AND deleted_at IS NULL AND source <> target ORDER BY relation, " + there +
         ", valid_from";
}

}  // namespace holdfast::graph
