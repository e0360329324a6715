#pragma once

// Thread safety: any thread.

#include <holdfast/schedule/event.h>
#include <holdfast/space/space.h>

namespace holdfast {

/// Something that will happen, as things are now.
struct AgendaItem {
  Timestamp at;
  ScheduledEvent event;
};

/// What will happen in a range of time, in the order of (time, event's id): the triggers of pending
/// events, and of those that repeat each occurrence. Without a beginning it is now, without an end
/// there is none. Holds no more than a page of them in memory. `left_out` says at least how many
/// follow. Throws NotFound when there is no such space, InvalidArgument.
Page<AgendaItem> agenda(const Space& space, const TimeRange& range, const PageRequest& page = {});

}  // namespace holdfast
