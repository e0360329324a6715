#pragma once

// Thread safety: values and functions without state; any thread.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <holdfast/core/clock.h>

namespace holdfast::schedule {

class ZoneRules;

/// What a clock on the wall shows.
using LocalTime = std::chrono::local_time<std::chrono::microseconds>;

/// "2026-12-01T09:00:00", with a fraction only when there is one.
std::string write_wall_time(LocalTime time);

/// A fixed offset from UTC, or the rules of a place from the system's time-zone database. What the
/// process's own zone is has no influence on anything here. The database is the folder
/// /usr/share/zoneinfo; beyond what its files list, each zone goes on by its last rule.
class Zone {
 public:
  /// "UTC" or "Z", an offset such as "+05:30" or "-0800", or a name of the database such as
  /// "Europe/Zurich". Throws InvalidArgument naming `field`.
  static Zone parse(std::string_view field, std::string_view text);

  /// As it was given; of an offset the form "+05:30".
  const std::string& name() const noexcept { return name_; }
  /// A wall time that is skipped is read by the offset before the gap, so 02:30 becomes the instant
  /// that is shown as 03:30; of one that comes twice the first is meant.
  Timestamp to_instant(LocalTime time) const;
  LocalTime to_local(Timestamp at) const;
  std::chrono::seconds offset_at(Timestamp at) const;
  bool operator==(const Zone& other) const noexcept { return name_ == other.name_; }

 private:
  Zone(std::string name, std::shared_ptr<const ZoneRules> rules, std::chrono::seconds offset)
      : name_(std::move(name)), rules_(std::move(rules)), offset_(offset) {}

  std::string name_;
  /// Immutable, and shared by copies. Null: the offset is fixed.
  std::shared_ptr<const ZoneRules> rules_;
  std::chrono::seconds offset_;
};

}  // namespace holdfast::schedule
