#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <holdfast/core/id.h>

namespace holdfast::graph {

/// Numbers ids: an array of them, and a hash table of places in it (open addressing, at most two
/// thirds full), 4 bytes a place.
/// Thread safety: any number of find(), or one change.
template <class Id>
class IdTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  const Id& operator[](std::uint32_t number) const { return ids_[number]; }

  std::uint32_t find(const Id& id) const {
    if (table_.empty()) return kNone;
    for (std::size_t at = home(id);; at = (at + 1) & mask()) {
      const std::uint32_t number = table_[at];
      if (number == kNone || ids_[number] == id) return number;
    }
  }
  /// Gives the id the next number; it must not have one.
  std::uint32_t add(const Id& id) {
    ids_.push_back(id);
    if (ids_.size() * 3 > table_.size() * 2) {
      grow();
    } else {
      place(size() - 1);
    }
    return size() - 1;
  }
  std::uint32_t find_or_add(const Id& id) {
    const std::uint32_t number = find(id);
    return number == kNone ? add(id) : number;
  }
  /// Gives a number that was forgotten to another id.
  void reuse(std::uint32_t number, const Id& id) {
    ids_[number] = id;
    place(number);
  }
  /// The number stays taken until it is reused.
  void forget(std::uint32_t number) {
    std::size_t hole = home(ids_[number]);
    while (table_[hole] != number) hole = (hole + 1) & mask();
    // Whoever could have stood in the hole moves up, so that no search ends before it.
    for (std::size_t at = (hole + 1) & mask(); table_[at] != kNone; at = (at + 1) & mask()) {
      const std::size_t wanted = home(ids_[table_[at]]);
      if (((at - wanted) & mask()) < ((at - hole) & mask())) continue;
      table_[hole] = table_[at];
      hole = at;
    }
    table_[hole] = kNone;
  }
  void shrink() { ids_.shrink_to_fit(); }
  std::size_t bytes() const {
    return ids_.capacity() * sizeof(Id) + table_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t mask() const { return table_.size() - 1; }
  std::size_t home(const Id& id) const {
    std::uint64_t high;
    std::uint64_t low;
    std::memcpy(&high, id.uuid.bytes.data(), sizeof high);
    std::memcpy(&low, id.uuid.bytes.data() + sizeof high, sizeof low);
    const std::uint64_t mixed = (low ^ (high * 0x9E3779B97F4A7C15U)) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32)) & mask();
  }
  void place(std::uint32_t number) {
    std::size_t at = home(ids_[number]);
    while (table_[at] != kNone) at = (at + 1) & mask();
    table_[at] = number;
  }
  void grow() {
    std::vector<std::uint32_t> before(table_.empty() ? 16 : table_.size() * 2, kNone);
    before.swap(table_);
    // What was forgotten is in the array still, but not in the table.
    for (const std::uint32_t number : before) {
      if (number != kNone) place(number);
    }
    place(size() - 1);
  }

  std::vector<Id> ids_;
  std::vector<std::uint32_t> table_;
};

}  // namespace holdfast::graph
