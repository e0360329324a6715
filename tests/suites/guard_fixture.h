#pragma once

#include <string>

#include <holdfast/core/error.h>

#include "suites/support.h"

namespace holdfast::test {

/// A store in which `write`, naming `read`, would be applied. No two rows share a revision or a
/// time of creation, so a guard without one of its conditions can hit no other row.
/// `Kind` is one of kinds.h, or a struct with add, edit, replace and find as they have.
template <class Kind>
struct ReplaceGuard {
  using Row = typename Kind::Row;

  ReplaceGuard() {
    pass_time(store);
    row = Kind::add(store, *store.space, "attacked");
    pass_time(store);
    Kind::add(store, *store.space, "bystander");
    pass_time(store);
    aim_at(row);
  }

  /// Makes `write` an allowed edit of the row as it now is.
  void aim_at(const Row& current) {
    read = as_read(current);
    write = current;
    Kind::edit(write);
    write.revision = next_revision(store.environment.clock.now(), current.revision);
  }

  WriteResult<Row> attempt() const { return Kind::replace(*store.space, write, read); }

  /// The write is refused with `outcome` and the row as it is; nothing else happens.
  void require_refused(Outcome outcome) const {
    const std::string before = picture(*store.store);
    const auto result = attempt();
    CHECK(to_string(result.outcome) == to_string(outcome));
    CHECK((result.current == Kind::find(*store.space, write)));
    CHECK(result.seq == 0);
    CHECK(picture(*store.store) == before);
  }

  /// The write is an error that says that `write` changes what a replace never changes.
  void require_error() const {
    const std::string before = picture(*store.store);
    CHECK_THROWS_AS(attempt(), InvalidArgument);
    CHECK(picture(*store.store) == before);
  }

  /// The control: with what was spoiled put right, the same write lands.
  void require_applied() const { CHECK(attempt().outcome == Outcome::applied); }

  TestStore store;
  Row row;
  Row write;
  Expected read;
};

template <class Kind>
void refuses_a_row_of_another_space() {
  ReplaceGuard<Kind> guard;
  pass_time(guard.store);
  const Space other = guard.store.store->create_space("other", "tester");
  pass_time(guard.store);
  guard.aim_at(Kind::add(guard.store, other, "elsewhere"));
  guard.require_refused(Outcome::missing);
  CHECK(Kind::replace(other, guard.write, guard.read).outcome == Outcome::applied);
}

template <class Kind>
void refuses_an_unknown_id(ReplaceGuard<Kind>& guard) {
  const auto id = guard.write.id;
  guard.write.id = {guard.store.environment.ids->next()};
  guard.require_refused(Outcome::missing);
  guard.write.id = id;
  guard.require_applied();
}

template <class Kind>
void refuses_a_moved_revision() {
  ReplaceGuard<Kind> guard;
  guard.require_applied();
  guard.write.revision.us += 1'000'000;
  guard.require_refused(Outcome::revision_moved);
  guard.read.revision = Kind::find(*guard.store.space, guard.row)->revision;
  guard.require_applied();
}

/// The writer takes a live row for deleted, at its right revision.
template <class Kind>
void refuses_a_changed_deletion_mark() {
  ReplaceGuard<Kind> guard;
  guard.read.deleted_at = guard.store.environment.clock.now();
  guard.write.deleted_at = guard.read.deleted_at;
  guard.require_refused(Outcome::deletion_changed);
  guard.read.deleted_at.reset();
  guard.write.deleted_at.reset();
  guard.require_applied();
}

/// The writer names a tombstone's revision, but takes it for live: its write would raise the dead.
template <class Kind, class Collection>
void refuses_to_raise_the_dead(const Collection& (Space::*collection)() const) {
  ReplaceGuard<Kind> guard;
  const auto dead = written((guard.store.space.get()->*collection)().remove(guard.row.id));
  guard.aim_at(dead);
  guard.read.deleted_at.reset();
  guard.write.deleted_at.reset();
  guard.require_refused(Outcome::deletion_changed);
  guard.read.deleted_at = dead.deleted_at;
  guard.write.deleted_at = dead.deleted_at;
  guard.require_applied();
}

template <class Kind>
void refuses_a_revision_that_does_not_advance() {
  ReplaceGuard<Kind> guard;
  guard.write.revision = guard.read.revision;
  guard.require_refused(Outcome::not_advanced);
  ++guard.write.revision.us;
  guard.require_applied();
}

/// `spoil` changes one thing of the row that a replace never changes.
template <class Kind, class Spoil>
void refuses_a_changed_identity(const Spoil& spoil) {
  ReplaceGuard<Kind> guard;
  const auto allowed = guard.write;
  spoil(guard);
  guard.require_error();
  guard.write = allowed;
  guard.require_applied();
}

template <class Kind>
void refuses_another_time_of_creation() {
  refuses_a_changed_identity<Kind>([](auto& guard) { guard.write.created_at += 1us; });
}

}  // namespace holdfast::test
