#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <holdfast/notes/note_store.h>
#include <holdfast/space/access.h>
#include <holdfast/space/plan.h>
#include <holdfast/space/write_options.h>

#include "read_set.h"

namespace holdfast {

/// A plan to be made as one write.
struct PlanRequest {
  const Plan& plan;
  std::function<std::string()> what{};  ///< all that makes it this request and no other
  const std::vector<OwnView>& views = kNoViews;
};

struct PlanEnd {
  PlanResult result;
  std::vector<std::size_t> moved_views;
};

/// See Space::apply() and Space::check().
PlanEnd apply_plan(const Access& access, const notes::NoteStore& notes, const PlanRequest& request,
                   const WriteOptions& options);
PlanEnd check_plan(const Access& access, const notes::NoteStore& notes,
                   const PlanRequest& request);

/// The answer that is kept for the request, if there is one.
std::optional<PlanResult> kept_plan(const Access& access, const notes::NoteStore& notes,
                                    const std::string& what, const WriteOptions& options);

}  // namespace holdfast
