#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/id.h>

#include "id_table.h"

namespace holdfast::graph {

using Node = std::uint32_t;  ///< number of an entity
using Slot = std::uint32_t;  ///< place of an edge in the arrays by edge
using RelationCode = std::uint32_t;
inline constexpr std::uint32_t kNoNumber = IdTable<EntityId>::kNone;

enum class End { out, in };

/// The edges at one side of a node, in the order in which searches meet them: by relation in byte
/// order, other end's id, start of validity.
struct EdgeRow {
  const Node* ends = nullptr;
  const Slot* slots = nullptr;
  std::uint32_t size = 0;
};

/// A live edge, validity as it is stored.
struct PlacedEdge {
  EntityId source;
  std::string_view relation;
  EntityId target;
  std::int64_t valid_from = 0;
  std::int64_t valid_to = 0;
};

/// What an edge has become; no place: it is not live.
struct EdgeChange {
  EdgeId id;
  std::optional<PlacedEdge> now;
};

/// The live edges of a space but loops, for search. The base: per side, the rows of all nodes one
/// behind the other. The delta: whole new rows of those nodes whose edges changed since, so that
/// a search reads a row in one piece either way. When more than a quarter of the base's edges (and
/// 64) were added or removed, all rows are laid out anew.
/// Thread safety: any number of readers, or one change.
class GraphArrays {
 public:
  /// Adds an edge before lay_out(), which must be called once, before anything else.
  void add(const EdgeId& id, const PlacedEdge& edge);
  void lay_out();

  /// Takes in what edges have become; of one edge several times, the last counts.
  void change(std::span<const EdgeChange> changes);
  /// Whether edges of the relation go either way.
  void declare(const std::string& relation, bool symmetric);

  Node find(EntityId entity) const { return nodes_.find(entity); }
  EntityId entity(Node node) const { return nodes_[node]; }
  EdgeId edge(Slot slot) const { return edges_[slot]; }
  bool holds(Slot slot, std::int64_t time) const {
    return valid_from_[slot] <= time && time < valid_to_[slot];
  }
  RelationCode relation(Slot slot) const { return relations_[slot]; }

  EdgeRow row(End end, Node node) const {
    const Side& side = sides_[static_cast<std::size_t>(end)];
    if (!side.changed.empty() && side.changed[node] != 0) {
      const std::vector<std::uint32_t>& row = side.rows[side.changed[node] - 1];
      const auto size = static_cast<std::uint32_t>(row.size() / 2);
      return {.ends = row.data(), .slots = row.data() + size, .size = size};
    }
    if (node + 1 >= side.offsets.size()) return {};
    const std::uint32_t first = side.offsets[node];
    return {.ends = side.ends.data() + first,
            .slots = side.slots.data() + first,
            .size = side.offsets[node + 1] - first};
  }

  /// Brings what row() reads first nearer to the processor.
  void expect_soon(End end, Node node) const {
    const Side& side = sides_[static_cast<std::size_t>(end)];
    if (!side.changed.empty()) __builtin_prefetch(side.changed.data() + node);
    if (node + 1 < side.offsets.size()) __builtin_prefetch(side.offsets.data() + node);
  }
  /// And then the row.
  void expect_next(End end, Node node) const { __builtin_prefetch(row(end, node).ends); }

  bool has_edges(Node node) const {
    return row(End::out, node).size > 0 || row(End::in, node).size > 0;
  }

  std::optional<RelationCode> code(std::string_view relation) const;
  const std::string& name(RelationCode code) const { return names_[code]; }
  /// In byte order.
  const std::vector<RelationCode>& symmetric() const { return symmetric_; }

  std::uint32_t nodes() const { return nodes_.size(); }
  std::uint32_t edges() const { return live_; }
  std::uint64_t delta_edges() const { return delta_; }
  std::uint64_t bytes() const;
  /// At least what bytes() will be after lay_out().
  std::uint64_t bytes_to_be() const;

 private:
  struct Side {
    std::vector<std::uint32_t> offsets;
    std::vector<Node> ends;
    std::vector<Slot> slots;
    /// Of each node: 1 + the number of its row below, or 0. Empty without a delta.
    std::vector<std::uint32_t> changed;
    std::vector<std::vector<std::uint32_t>> rows;  ///< ends, then slots
  };
  /// Something to be done to one row.
  struct Edit {
    End end;
    Node node;
    Slot added;  ///< kNoNumber: some edge of the row has gone
  };

  Slot put(const EdgeId& id, const PlacedEdge& edge);
  bool is_at(Slot slot, const PlacedEdge& edge) const;
  void note(std::vector<Edit>& edits, Slot slot, Slot added) const;
  void rewrite_rows(std::vector<Edit>& edits);
  void rewrite(End end, Node node, std::span<const Edit> edits);
  void fold();
  void fold(End end);
  void fill(End end);
  bool is_before(End end, Slot a, Slot b) const;
  Node node_at(End end, Slot slot) const {
    return end == End::out ? sources_[slot] : targets_[slot];
  }
  Node other(End end, Slot slot) const { return end == End::out ? targets_[slot] : sources_[slot]; }
  RelationCode find_or_add(std::string_view relation);

  IdTable<EntityId> nodes_;
  std::vector<std::string> names_;
  std::map<std::string, RelationCode, std::less<>> codes_;
  std::vector<RelationCode> symmetric_;

  IdTable<EdgeId> edges_;  ///< these arrays are by slot
  std::vector<Node> sources_;
  std::vector<Node> targets_;
  std::vector<RelationCode> relations_;  ///< kNoNumber: no edge is here
  std::vector<std::int64_t> valid_from_;
  std::vector<std::int64_t> valid_to_;
  std::vector<Slot> free_;

  std::array<Side, 2> sides_;
  std::uint32_t live_ = 0;
  std::uint32_t base_edges_ = 0;
  std::uint64_t delta_ = 0;
  std::uint64_t names_bytes_ = 0;
  std::uint64_t rows_bytes_ = 0;
};

}  // namespace holdfast::graph
