#include "edge_checks.h"

#include <string>

namespace holdfast::graph {
namespace {

struct Rule {
  std::string_view name;
  std::string_view of;  ///< what the ids are of
  std::string_view says;
  std::string_view sql;  ///< answers the ids that break it
};

constexpr Rule kRules[] = {
    {"edge.endpoint", "edge", "is live but an end of it is not",
     "SELECT id FROM edges AS e WHERE space = $1 AND deleted_at IS NULL AND (NOT EXISTS"
     " (SELECT 1 FROM entities AS n WHERE n.space = e.space AND n.id = e.source"
     " AND n.deleted_at IS NULL) OR NOT EXISTS (SELECT 1 FROM entities AS n"
     " WHERE n.space = e.space AND n.id = e.target AND n.deleted_at IS NULL))"},
    {"edge.symmetric", "edge", "is of a symmetric relation but its ends are not in order",
     "SELECT e.id FROM edges AS e JOIN relations AS r ON r.space = e.space"
     " AND r.relation = e.relation AND r.deleted_at IS NULL AND r.symmetric = 1"
     " WHERE e.space = $1 AND e.deleted_at IS NULL AND e.target < e.source"},
    {"edge.overlap", "edge", "holds over a time that another edge of its triple covers",
     "SELECT e.id FROM edges AS e JOIN edges AS o ON o.space = e.space AND o.source = e.source"
     " AND o.relation = e.relation AND o.target = e.target AND o.deleted_at IS NULL"
     " AND o.valid_from > e.valid_from AND o.valid_from < e.valid_to"
     " WHERE e.space = $1 AND e.deleted_at IS NULL"},
    {"edge.hood", "edge", "is newer than the stamp of a neighbourhood it lies in",
     "SELECT e.id FROM edges AS e LEFT JOIN hoods AS s ON s.space = e.space"
     " AND s.entity = e.source LEFT JOIN hoods AS t ON t.space = e.space AND t.entity = e.target"
     " WHERE e.space = $1 AND (s.seq IS NULL OR s.seq < e.seq OR t.seq IS NULL"
     " OR t.seq < e.seq)"},
    {"edge.hood", "entity", "has a neighbourhood whose stamp is no change of an edge at it",
     "SELECT h.entity FROM hoods AS h WHERE h.space = $1 AND NOT EXISTS (SELECT 1"
     " FROM events AS v LEFT JOIN edges AS e ON e.space = v.space AND e.id = v.id"
     " WHERE v.space = h.space AND v.seq = h.seq AND v.kind = 'edge'"
     // Gone from there since: moved away, or purged.
     " AND (e.source = h.entity OR e.target = h.entity OR v.op = 'retarget' OR e.id IS NULL))"},
};

}  // namespace

void check_edges(storage::Transaction& transaction, std::string_view space,
                 const journal::Report& report) {
  for (const Rule& rule : kRules) {
    auto select = transaction.prepare(rule.sql);
    select.bind(space);
    while (select.step()) {
      report({.check = std::string(rule.name),
              .space = std::string(space),
              .detail = std::string(rule.of) + " " + to_string(select.get<Uuid>(0)) + " " +
                        std::string(rule.says)});
    }
  }
}

}  // namespace holdfast::graph
