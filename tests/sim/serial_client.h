#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <holdfast/space/space.h>

#include "sim/serial_reads.h"

namespace holdfast::test {

/// What the clients fail to track, on purpose.
struct Blind {
  std::set<What> to{};      ///< such reads go around the transaction
  bool to_own = false;      ///< reads after own changes go around it
};

/// The few rows that all clients meet at.
struct Grounds {
  Grounds(const Space& space, core::IdSource& ids, std::size_t late_max);
  std::vector<EntityId> entities;
  std::vector<EntityId> late;     ///< ids that are taken one by one
  std::size_t taken = 0;
  std::vector<EdgeId> edges;
  std::vector<NoteId> notes;
};

/// A transaction that ended, and all that it had read.
struct Ended {
  Sequence position = 0;          ///< where the journal ended when it was judged
  std::vector<std::size_t> events;  ///< that each of its changes left; empty when refused
  std::vector<Seen> seen;
};

class SerialClient {
 public:
  SerialClient(const Space& space, Grounds& grounds, const Blind& blind, std::uint64_t seed,
               std::function<void()> pass)
      : space_(space), grounds_(grounds), blind_(blind), random_(seed), pass_(std::move(pass)),
        name_(std::to_string(seed)) {}

  void transact();
  /// At the fault point before a commit.
  void about_to_commit() {
    pass_();
    position_ = space_.tail().seq;
  }

  std::vector<Ended> ended;
  std::size_t applied = 0;
  std::size_t gave_up = 0;
  std::size_t runs = 0;

 private:
  void think(Transaction& t);
  void act(Transaction& t);
  void look(Transaction& t);
  std::string read(Transaction& t, Read read);
  bool is_live(Transaction& t, EntityId id, What what);
  void change_entity(Transaction& t);
  void end_entity(Transaction& t);
  void create_entity(Transaction& t);
  void create_edge(Transaction& t);
  void end_edge(Transaction& t);
  void create_note(Transaction& t);
  void change_note(Transaction& t);
  template <class Ids>
  auto some(const Ids& ids) {
    return ids[random_.below(ids.size())];
  }
  EntityId some_late();
  std::string some_kind() { return random_.below(2) == 0 ? "a" : "b"; }
  std::string some_name(const char* prefix, std::uint64_t count) {
    return prefix + std::to_string(random_.below(count));
  }
  std::string fresh() { return name_ + "." + std::to_string(++made_); }

  const Space& space_;
  Grounds& grounds_;
  const Blind& blind_;
  core::Random random_;
  std::function<void()> pass_;
  std::string name_;
  std::uint64_t made_ = 0;
  Sequence position_ = 0;
  std::vector<Seen> seen_;
};

/// Compares every read of the transactions with the journal at their positions; "" or the first
/// that differs.
std::string first_difference(const Space& space, std::vector<Ended> ended);

}  // namespace holdfast::test
