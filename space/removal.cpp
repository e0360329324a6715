#include "removal.h"

#include <spdlog/spdlog.h>

#include <holdfast/core/log.h>
#include <holdfast/journal/space_contents.h>

namespace holdfast {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

template <class Change>
void submit(const Access& access, Change change) {
  access.environment.faults.at("space.delete");
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        change(transaction);
        return storage::Verdict::keep;
      },
      to_string(access.environment.ids.next()));
}

void add(SpaceRemoval& removal, const journal::Removed& removed) {
  if (removed.what == "event") {
    removal.events += removed.count;
  } else if (removed.what == "request") {
    removal.requests += removed.count;
  } else if (!removed.what.empty()) {
    removal.rows[removed.what] += removed.count;
  }
}

}  // namespace

std::uint64_t SpaceRemoval::total() const {
  std::uint64_t sum = events + requests;
  for (const auto& [kind, count] : rows) sum += count;
  return sum;
}

SpaceRemoval remove_space(const Access& access, const RemovalControl& control) {
  submit(access, [&](storage::Transaction& transaction) {
    journal::hide_space(transaction, access.space, access.environment.clock.now());
  });
  SpaceRemoval removal;
  while (!removal.complete) {
    journal::Removed removed;
    submit(access, [&](storage::Transaction& transaction) {
      removed = journal::remove_some(transaction, access.registry, access.space, kRowsAtOnce);
      // Only when nothing else is left; until then its name cannot be used anew.
      if (removed.count == 0) journal::forget_space(transaction, access.space);
    });
    add(removal, removed);
    removal.complete = removed.count == 0;
    if (!removal.complete && control && !control(removal)) return removal;
  }
  core::log()->info("space {} was deleted with {} rows and events", access.space,
                    removal.total());
  return removal;
}

}  // namespace holdfast
