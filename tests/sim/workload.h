#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/random.h>
#include <holdfast/graph/edge.h>
#include <holdfast/graph/entity.h>
#include <holdfast/graph/relation.h>
#include <holdfast/notes/note.h>

namespace holdfast::test {

/// A merge patch, and what it does to a row, said once more by hand.
template <class Row>
struct Patch {
  JsonObject document;
  std::function<void(Row&)> effect;
};

/// What random clients draw: few ids, few names, few keys and few instants, so that they meet.
/// All spaces of a run draw from the same ids.
class Workload {
 public:
  Workload(std::uint64_t seed, Timestamp start);

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool chance(unsigned percent) { return random_.below(100) < percent; }
  template <class Item>
  const Item& pick(const std::vector<Item>& items) {
    return items[static_cast<std::size_t>(random_.below(items.size()))];
  }

  template <class Row>
  const std::vector<decltype(Row::id)>& ids() const;
  const std::vector<std::string>& relations() const { return relations_; }
  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& names() const { return names_; }

  /// A row with one of the ids, everything else drawn.
  template <class Row>
  Row new_row();
  /// Changes one field that a caller may change, or, now and then, none.
  void edit(Entity& row);
  void edit(Edge& row);
  void edit(Note& row);
  /// Changes a field that a replace must not change.
  void spoil(Entity& row);
  void spoil(Edge& row);
  void spoil(Note& row);
  template <class Row>
  Patch<Row> patch();
  Relation relation();
  std::optional<Timestamp> instant();

 private:
  JsonObject properties();
  void fill(Entity& row);
  void fill(Edge& row);
  void fill(Note& row);
  template <class Row>
  void patch_properties(Patch<Row>& patch, std::string& members);

  core::Random random_;
  Timestamp start_;
  std::vector<EntityId> entities_;
  std::vector<EdgeId> edges_;
  std::vector<NoteId> notes_;
  std::vector<std::string> names_ = {"ada", "ada lovelace", "bob", "Zoë"};
  std::vector<std::string> relations_ = {"knows", "likes", "twin of"};
  std::vector<std::string> keys_ = {"summary", "today"};
};

template <>
const std::vector<EntityId>& Workload::ids<Entity>() const;
template <>
const std::vector<EdgeId>& Workload::ids<Edge>() const;
template <>
const std::vector<NoteId>& Workload::ids<Note>() const;
template <>
Patch<Entity> Workload::patch<Entity>();
template <>
Patch<Edge> Workload::patch<Edge>();
template <>
Patch<Note> Workload::patch<Note>();

}  // namespace holdfast::test
