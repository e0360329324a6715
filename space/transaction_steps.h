#pragma once

#include <holdfast/space/plan.h>

#include "changes.h"

/// Steps as a Transaction makes them.
namespace holdfast {

inline RowKind kind_of(EntityId) { return RowKind::entity; }
inline RowKind kind_of(EdgeId) { return RowKind::edge; }
inline RowKind kind_of(NoteId) { return RowKind::note; }

template <class SomeId>
PlanStep step_of(PlanOp op, SomeId id) {
  PlanStep step;
  step.op = op;
  step.kind = kind_of(id);
  step.id = id.uuid;
  return step;
}

template <class Row>
PlanStep read_as(const Row& row) {
  PlanStep step = step_of(PlanOp::expect_unchanged, row.id);
  step.expected = as_read(row);
  return step;
}

}  // namespace holdfast
