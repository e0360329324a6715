#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <holdfast/schedule/claims.h>
#include <holdfast/scheduler/handlers.h>
#include <holdfast/scheduler/scheduler.h>
#include <holdfast/space/space.h>

#include "admission.h"
#include "decision.h"
#include "lease_keeper.h"
#include "tally.h"

namespace holdfast::scheduler {

/// A due event with what was decided about it by the look at it.
struct Admitted {
  ScheduledEvent event;
  Admission admission;
};

/// A claimed occurrence on its way to its end; without an ending its plan is still to be applied.
struct Carried {
  schedule::Claim claim;
  std::optional<Ending> ending{};
  std::string creator{};  ///< of the event, on whose behalf it happens; empty: not known
};

/// Carries occurrences of one space from the claim to the stored end, one method for each step.
/// Every step is guarded by the claim; the last one by a fresh read of the event too.
/// Thread safety: any thread.
class Carrier {
 public:
  /// All must outlive it.
  Carrier(const Space& space, const Handlers& handlers, const SchedulerOptions& options,
          const std::string& worker, LeaseKeeper& keeper, Tally& tally);

  /// Takes over what workers whose lease has ended left behind, each with the ending that its
  /// receipt allows.
  std::vector<Carried> reclaim(const std::vector<ScheduledEventId>& events);
  /// Claims those that are still as they were seen.
  std::vector<Carried> claim(const std::vector<Admitted>& admitted);
  /// Calls the handler, under a lease that is kept, and concludes.
  void invoke(Carried carried, const std::stop_token& stop);
  /// Reads each event anew, decides, and stores the end with what the event becomes; again when
  /// the event has moved since, and after that leaves it to who finds the lease ended.
  void conclude(std::vector<Carried> carried);

  bool is_plan(const ScheduledEvent& event) const;
  /// The handler of an event that is no plan; null: this worker has none.
  const Handler* handler_of(const ScheduledEvent& event) const;

 private:
  Ending ending_of_receipt(const Attempt& attempt) const;
  Ending call(const Handler& handler, const Firing& firing);
  std::optional<Ending> denial(const Carried& carried) const;
  bool store(const std::function<bool(storage::Transaction&)>& change, const Attempt& attempt);
  void find_creators(std::vector<Carried>& carried) const;
  bool call_handler(Carried& carried, const std::stop_token& stop);
  std::vector<std::optional<ScheduledEvent>> read_events(const std::vector<Carried>& carried) const;
  enum class Stored { yes, moved, lost };
  std::vector<Stored> store_ends(const std::vector<Carried>& carried,
                                 const std::vector<std::optional<ScheduledEvent>>& read,
                                 DrainReport& counts);
  Stored store_end(storage::Transaction& transaction, const Carried& carried,
                   const ScheduledEvent& read, DrainReport& counts);
  Ending act(storage::Transaction& transaction, const Carried& carried,
             const ScheduledEvent& read);
  journal::WriteContext context(const Attempt& attempt) const;
  void at(std::string_view point) const;
  Timestamp now() const;

  const Space& space_;
  const Handlers& handlers_;
  const SchedulerOptions& options_;
  const std::string& worker_;
  LeaseKeeper& keeper_;
  Tally& tally_;
};

}  // namespace holdfast::scheduler
