#pragma once

#include <string>

#include <holdfast/schedule/claims.h>
#include <holdfast/space/space.h>

#include "decision.h"

namespace holdfast::scheduler {

/// Whether all that the event does is to write its own store: then it happens in the transaction
/// that finishes it, so that effect and receipt land together.
bool is_plan(const ScheduledEvent& event, bool has_reminder_handler);

/// Applies the event's plan, or leaves its reminder's note, on behalf of its creator. What a
/// refused plan wrote is undone; errors of this event alone are its ending, others are thrown.
Ending apply_plan_of(storage::Transaction& transaction, const Space& space,
                     const ScheduledEvent& event, const Attempt& attempt,
                     const std::string& creator);

}  // namespace holdfast::scheduler
