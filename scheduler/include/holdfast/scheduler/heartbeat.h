#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/core/json_text.h>
#include <holdfast/space/space.h>

namespace holdfast {

/// What a channel says of itself: something that is done again and again, such as polling.
struct HeartbeatReport {
  std::string channel;  ///< a name of up to 256 bytes
  /// How often it is to be heard of, 1 ms to 366 days; absent: as it said before.
  std::optional<std::chrono::microseconds> interval{};
  /// Why the last attempt failed, not empty; absent: it did not. Credentials are masked.
  std::optional<std::string> error{};
  /// Merged into what it said before (RFC 7396). Credentials are masked, see core/mask.h: strings
  /// are cut to 4 KiB.
  JsonObject details{};
};

/// What is known of a channel: the note "heartbeat:<channel>", of kind "heartbeat".
struct ChannelHealth {
  NoteId note;
  std::string channel;
  std::optional<std::chrono::microseconds> interval{};
  std::optional<Timestamp> last_attempt_at{};
  std::optional<Timestamp> last_success_at{};
  std::optional<Timestamp> last_failure_at{};
  std::string last_error{};  ///< kept after a success
  std::uint64_t attempts = 0;  ///< this and the next stop at 2^63 - 1
  std::uint64_t consecutive_failures = 0;
  JsonObject details{};
  Revision revision{};
  /// What cannot be read in the note; the fields above it are then not all there.
  std::string malformed{};
  /// Not heard of for more than three intervals. A last attempt in the future, by more than an
  /// interval and more than a minute, counts as silence too: a wrong clock stamped it, and nothing
  /// tells when that was. Absent where it cannot be told: the channel has named no interval, its
  /// note is malformed, or it is heard of but failing.
  std::optional<bool> is_stalled{};
  bool is_failing() const { return consecutive_failures > 0; }
  bool is_troubled() const {
    return is_failing() || is_stalled.value_or(false) || !malformed.empty();
  }
};

/// Under its field names; times in microseconds.
std::string to_json(const ChannelHealth& health);

/// The channels of a space. A report is merged into what is there as it is read and written back
/// under guard, so that none is lost, whoever else reports.
/// Thread safety: any thread. Must not outlive the Store.
class Heartbeats {
 public:
  explicit Heartbeats(Space space) : space_(std::move(space)) {}

  /// The channel as it then is. A clock that is behind moves no time back, unless that lies in
  /// the future by more than an interval and more than a minute. Throws InvalidArgument, also when
  /// the note is malformed; Conflict when the note is changed each time that it was read, for very
  /// long.
  ChannelHealth report(const HeartbeatReport& report) const;
  /// Throws NotFound("channel").
  ChannelHealth get(std::string_view channel) const;
  /// By name; whether the note has expired is all the same.
  Page<ChannelHealth> list(const PageRequest& page = {}) const;
  /// Those among a page of list() that are troubled: stalled, failing or malformed. A page may have
  /// fewer than its limit, or none, and a next one all the same. `left_out` counts the troubled
  /// ones among the next 10,000 channels; there is no next page when none follow.
  Page<ChannelHealth> troubled(const PageRequest& page = {}) const;

 private:
  /// Absent when the note has changed since it was found.
  std::optional<Note> report_once(const std::string& key, const HeartbeatReport& report) const;

  Space space_;
};

}  // namespace holdfast
