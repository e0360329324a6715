#include <holdfast/graph/neighbors.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/row_list.h>

#include "edge_table.h"
#include "entity_table.h"

namespace holdfast {

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::outgoing: return "outgoing";
    case Direction::incoming: return "incoming";
    case Direction::both: return "both";
  }
  return "unknown";
}

namespace graph {
namespace {

/// Where a page begins: just after this edge, seen from this side.
struct Place {
  Direction side = Direction::outgoing;
  std::string relation;
  EntityId other;
  std::int64_t valid_from = 0;
};

/// The edges that lie on one side of the entity, in the order of the index that finds them.
class Side {
 public:
  Side(std::string_view space, EntityId entity, const NeighborFilter& filter, Direction side)
      : space_(space), entity_(entity), filter_(filter), side_(side) {}

  storage::Query query(std::string select, const std::optional<Place>& after) const {
    storage::Query query(std::move(select));
    query.where("space = $", space_);
    query.where(side_ == Direction::outgoing ? "source = $" : "target = $", entity_);
    query.where("deleted_at IS NULL");
    if (side_ == Direction::incoming) leave_out_loops(query);
    if (filter_.direction != Direction::both && filter_.direction != side_) {
      query.where(
          "relation IN (SELECT relation FROM relations WHERE space = $ AND symmetric = 1"
          " AND deleted_at IS NULL)",
          space_);
    }
    if (filter_.relation) {
      query.where("relation = $", core::check_name("relation", *filter_.relation));
    }
    if (filter_.valid_at) {
      const Timestamp at = within_validity(*filter_.valid_at);
      query.where("valid_from <= $ AND valid_to > $", at, at);
    }
    if (after && after->side == side_) {
      query.where("(relation, " + other() + ", valid_from) > ($, $, $)", after->relation,
                  after->other, after->valid_from);
    }
    return query;
  }

  std::string other() const { return side_ == Direction::outgoing ? "target" : "source"; }
  std::string order() const { return " ORDER BY relation, " + other() + ", valid_from LIMIT $"; }
  Direction direction() const { return side_; }

 private:
  /// A loop lies on both sides and is reported once: as outgoing, unless only incoming edges are
  /// asked for and the outgoing side leaves it out.
  void leave_out_loops(storage::Query& query) const {
    if (filter_.direction == Direction::incoming) {
      query.where(
          "(source <> $ OR relation NOT IN (SELECT relation FROM relations WHERE space = $"
          " AND symmetric = 1 AND deleted_at IS NULL))",
          entity_, space_);
    } else {
      query.where("source <> $", entity_);
    }
  }

  std::string_view space_;
  EntityId entity_;
  const NeighborFilter& filter_;
  Direction side_;
};

EntityId other_end(const Edge& edge, Direction side) {
  return side == Direction::outgoing ? edge.target : edge.source;
}

std::optional<Place> read_place(const std::string& tag, const std::string& cursor) {
  if (cursor.empty()) return std::nullopt;
  const auto key = storage::read_cursor(tag, cursor, 4);
  return Place{.side = key[0] == "out" ? Direction::outgoing : Direction::incoming,
               .relation = key[1],
               .other = EntityId::parse("cursor", key[2]),
               .valid_from = std::stoll(key[3])};
}

std::string write_place(const std::string& tag, const Neighbor& last) {
  return storage::write_cursor(tag, {last.direction == Direction::outgoing ? "out" : "in",
                                     last.edge.relation,
                                     to_string(other_end(last.edge, last.direction)),
                                     std::to_string(stored_from(last.edge))});
}

Place place_of(const Neighbor& last) {
  return {.side = last.direction,
          .relation = last.edge.relation,
          .other = other_end(last.edge, last.direction),
          .valid_from = stored_from(last.edge)};
}

void read_side(storage::Transaction& transaction, std::string_view space, const Side& side,
               const std::optional<Place>& after, std::size_t limit,
               std::vector<Neighbor>& neighbors) {
  if (neighbors.size() >= limit) return;
  auto query = side.query(EdgeTable::select(), after);
  query.append(side.order(), limit - neighbors.size());
  auto select = transaction.prepare(query.sql());
  query.bind(select);
  while (select.step()) {
    Neighbor neighbor;
    neighbor.edge = EdgeTable::read(select.row());
    neighbor.direction = side.direction();
    auto other =
        EntityTable::find(transaction, space, other_end(neighbor.edge, side.direction()));
    if (!other) throw Corrupt("edge " + to_string(neighbor.edge.id) + " has an end without a row");
    neighbor.entity = std::move(*other);
    neighbors.push_back(std::move(neighbor));
  }
}

void require_entity(storage::Transaction& transaction, std::string_view space, EntityId entity) {
  if (!EntityTable::mark(transaction, space, entity)) {
    throw NotFound("entity", to_string(entity));
  }
}

}  // namespace

Page<Neighbor> neighbors(storage::Transaction& transaction, std::string_view space,
                         EntityId entity, const NeighborFilter& filter,
                         const PageRequest& request) {
  core::check_limit("limit", request.limit);
  require_entity(transaction, space, entity);
  const Side sides[] = {{space, entity, filter, Direction::outgoing},
                        {space, entity, filter, Direction::incoming}};
  const std::string tag = sides[0].query("", std::nullopt).fingerprint() +
                          std::string(to_string(filter.direction));
  const auto after = read_place(tag, request.cursor);

  Page<Neighbor> page;
  for (const Side& side : sides) {
    // The outgoing side is over once a page has ended in the incoming one.
    if (after && after->side == Direction::incoming && side.direction() == Direction::outgoing) {
      continue;
    }
    read_side(transaction, space, side, after, request.limit + 1, page.items);
  }
  if (page.items.size() <= request.limit) return page;

  page.items.resize(request.limit);
  const Neighbor& last = page.items.back();
  page.next = write_place(tag, last);
  for (const Side& side : sides) {
    if (last.direction == Direction::incoming && side.direction() == Direction::outgoing) continue;
    std::uint64_t more = 0;
    bool is_minimum = false;
    journal::count_left_out(transaction, side.query("SELECT 1 FROM edges", place_of(last)), more,
                            is_minimum);
    page.left_out += more;
    page.left_out_is_minimum = page.left_out_is_minimum || is_minimum;
  }
  if (page.left_out > storage::kLeftOutCountMax) {
    page.left_out = storage::kLeftOutCountMax;
    page.left_out_is_minimum = true;
  }
  return page;
}

Sequence neighborhood_seq(storage::Transaction& transaction, std::string_view space,
                          EntityId entity) {
  require_entity(transaction, space, entity);
  auto select =
      transaction.prepare("SELECT seq FROM hoods WHERE space = $1 AND entity = $2");
  select.bind(space, entity);
  return select.step() ? select.get<Sequence>(0) : 0;
}

}  // namespace graph
}  // namespace holdfast
