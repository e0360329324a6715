#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/core/revision.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/projection.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/space_settings.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

/// Who writes, and where; the same for every change of one write.
struct WriteContext {
  std::string space;
  std::string actor;
  std::string request_id;
  core::Environment& environment;
  const Registry& registry;  ///< whose projections are kept with the rows
};

/// One write's hold on its space's line of history: locks the space's row, hands out sequences,
/// appends one event for each change, and keeps what is derived from the rows within transactions.
/// Made and finished by in_space().
/// Thread safety: none; lives within one write transaction.
class Appender {
 public:
  /// Throws NotFound when there is no such space.
  Appender(storage::Transaction& transaction, const WriteContext& context);

  storage::Transaction& transaction() { return transaction_; }
  const std::string& space() const { return context_.space; }
  const std::string& actor() const { return context_.actor; }
  const std::string& request_id() const { return context_.request_id; }
  core::Environment& environment() { return context_.environment; }
  const Registry& registry() const { return context_.registry; }
  /// The time of this write: the clock, or the space's last time when the clock is behind it.
  Timestamp at() const { return at_; }
  /// The clock as this write found it, which may be behind at(). Revisions come from it: one write
  /// under a clock that is far ahead must not draw every later one after it.
  Timestamp now() const { return now_; }
  /// The sequence that the next append() will take, for the row that is written beside it.
  Sequence next_seq() const { return last_seq_ + 1; }
  const SpaceSettings& settings() const { return settings_; }
  /// For rows that were legal in the space that they were exported from: this write obeys neither
  /// the limits of the space nor its demand for declared relations.
  void lift_settings() { settings_ = {}; }

  enum class Stream {
    begins,     ///< the row did not exist before
    continues,  ///< it has events already
  };
  struct Change {
    std::string_view kind;
    Uuid id;
    std::string_view op;
    std::optional<std::string> body;  ///< absent once the row is purged
    Stream stream = Stream::continues;
    bool is_live = true;  ///< the row after the change
  };
  /// Appends the event. False, with nothing written, when a stream that should begin is there
  /// already: the id was purged. Throws Full when the space's limits forbid it.
  bool append(const Change& change);
  /// Begins taking in a journal whose first event is of that time: the events that the space has
  /// already, all its own, are dated back to it when they are later.
  void begin_replay(Timestamp first);
  /// Appends an event of that journal as it is there: its own operation, body, actor, request id
  /// and time; see begins_stream(). Limits do not count. Throws InvalidArgument for a time
  /// that goes back, or a stream that begins twice.
  void replay(const Event& event);
  /// Blanks the bodies of a stream for good.
  void forget(std::string_view kind, const Uuid& id);
  /// The generations of the space's projections that are written to.
  const std::vector<Generation>& generations();
  /// Stores what the writer brings as derived from the row it appended last, in the form of
  /// Projection::derive(). Throws InvalidArgument(the projection's name) for a row that the
  /// projection derives nothing from.
  DerivedOutcome give(std::string_view kind, const StoredRow& row, const Generation& generation,
                      std::string derived);
  /// Projections that follow the journal and have yet to take in what was appended here, by name.
  std::vector<std::string> pending() const;

  /// Stores where the space's line now ends. in_space() calls it.
  void finish();

 private:
  struct Previous {
    Sequence seq = 0;
    Sequence stream_seq = 0;
  };
  Previous last_of_stream(const Change& change);
  void require_room(const Change& change) const;
  bool insert(const Change& change, const std::string& actor, const std::string& request_id);
  bool is_live_after(const Event& event);
  void derive_from(const Change& change);
  void derive_from(const Change& change, const Generation& generation);

  storage::Transaction& transaction_;
  const WriteContext& context_;
  Sequence first_seq_ = 0;
  Sequence last_seq_ = 0;
  Timestamp now_;
  Timestamp at_;
  std::string last_request_id_;  ///< in the last event that was appended
  SpaceSettings settings_;
  std::uint64_t rows_ = 0;        ///< of the space, but for its own
  std::uint64_t body_bytes_ = 0;  ///< in the space's journal
  std::uint64_t projections_ = 0;
  std::optional<std::vector<Generation>> generations_;  ///< once they were asked for
  struct Pending {
    std::string projection;
    std::uint64_t generation = 0;
    std::string kind;
    Uuid id;
    bool operator==(const Pending&) const = default;
  };
  std::vector<Pending> pending_;
};

/// Runs `change(Appender&)` on the space's line of history. What it returns is returned.
template <class Change>
auto in_space(storage::Transaction& transaction, const WriteContext& context, Change change) {
  Appender appender(transaction, context);
  auto answer = change(appender);
  appender.finish();
  return answer;
}

}  // namespace holdfast::journal
