#pragma once

#include <cstdint>
#include <optional>

#include <holdfast/core/json_fields.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/row_list.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/schedule/event.h>
#include <holdfast/storage/page.h>

namespace holdfast::schedule {

/// Scheduled events under guard, with the rules of the other stores and these: a caller may cancel
/// a pending event and arm one that has ended anew; every other status is the scheduler's to set.
/// Holds no state; thread safety is the transaction's.
class EventStore {
 public:
  using Row = ScheduledEvent;
  using Filter = EventFilter;
  static constexpr std::string_view kKind = "scheduled_event";

  /// Judges the caller's fields and puts them in stored form, which sets trigger_at, zone and
  /// anchor. An event that repeats must have an occurrence behind its trigger.
  static void normalise(ScheduledEvent& event);

  /// Throws InvalidArgument("status") unless it is pending.
  static WriteResult<ScheduledEvent> insert_if_absent(journal::Appender& appender,
                                                      ScheduledEvent event);
  /// The same for a row that was exported, which may have any status.
  static WriteResult<ScheduledEvent> insert_exported(journal::Appender& appender,
                                                     ScheduledEvent event);
  /// Also called replace_event_if_unchanged. `not_pending`: an event that has ended cannot be
  /// cancelled. Throws InvalidArgument("status") for one that only the scheduler sets.
  static WriteResult<ScheduledEvent> replace_if_unchanged(journal::Appender& appender,
                                                          ScheduledEvent event,
                                                          const Expected& expected);
  /// The same without the rules for the status.
  static WriteResult<ScheduledEvent> replace_exported(journal::Appender& appender,
                                                      ScheduledEvent event,
                                                      const Expected& expected);
  static WriteResult<ScheduledEvent> remove(journal::Appender& appender, ScheduledEvent event,
                                            const Expected& expected);
  static WriteResult<ScheduledEvent> restore(journal::Appender& appender, ScheduledEvent event,
                                             const Expected& expected);
  /// Removes a deleted event with its attempts and blanks its history.
  static WriteResult<ScheduledEvent> purge(journal::Appender& appender, ScheduledEventId id,
                                           const Expected& expected);

  static std::optional<ScheduledEvent> find(storage::Transaction& transaction,
                                            std::string_view space, ScheduledEventId id);
  static Page<ScheduledEvent> list(storage::Transaction& transaction, std::string_view space,
                                   const EventFilter& filter, const PageRequest& page);
  static std::uint64_t count(storage::Transaction& transaction, std::string_view space,
                             const EventFilter& filter);
  /// Both must outlive it.
  static journal::RowMatcher matcher(std::string_view space, const EventFilter& filter);
  static journal::Source source();

  /// Sets or patches the fields a caller may change. "trigger_at" takes what
  /// schedule::parse_trigger() takes. Another trigger, or another way to repeat, begins the series
  /// anew unless the document says what the anchor is.
  static void apply(const JsonObject& document, core::Fields mode, ScheduledEvent& event);
  /// The row under its struct's field names, times in microseconds, and the wall time of the
  /// trigger as `local_time`.
  static std::string to_json(const ScheduledEvent& event);
  /// The same as the journal and exports hold it: without the sequence and local_time.
  static std::string body(const ScheduledEvent& event);
  /// Reads what body() writes. Throws InvalidArgument naming the field.
  static ScheduledEvent from_json(const JsonObject& document);
  /// The row as an event of the journal left it. Throws Gone when it was purged since.
  static ScheduledEvent from_event(storage::Transaction& transaction, std::string_view space,
                                   const Event& event);
};

}  // namespace holdfast::schedule
