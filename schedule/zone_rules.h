#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "posix_rule.h"

namespace holdfast::schedule {

/// The rules of one place, from its file in the system's time-zone database (TZif, RFC 9636). The
/// file is read anew each time, so a process that runs for long sees the database being updated.
/// Immutable; any thread.
class ZoneRules {
 public:
  /// Null when the database has no such zone, or has a file there that is damaged.
  static std::shared_ptr<const ZoneRules> find(std::string_view name);
  /// The same from a file's bytes.
  static std::shared_ptr<const ZoneRules> read(std::string bytes);

  OffsetSpan at(std::chrono::sys_seconds instant) const;

 private:
  explicit ZoneRules(std::string bytes) : bytes_(std::move(bytes)) {}

  bool index();
  bool index_block(std::size_t at, std::size_t time_bytes);
  bool is_sound() const;
  std::int64_t number(std::size_t at, std::size_t bytes) const;
  std::chrono::sys_seconds time(std::size_t i) const;
  std::chrono::seconds offset(std::size_t type) const;
  /// Of the type that holds from the transition on.
  std::chrono::seconds offset_from(std::size_t transition) const;

  std::string bytes_;
  std::size_t time_count_ = 0;
  std::size_t type_count_ = 0;
  std::size_t times_at_ = 0;        ///< where the transitions' times begin
  std::size_t types_at_ = 0;        ///< the number of each one's type
  std::size_t offsets_at_ = 0;      ///< the types
  std::size_t end_at_ = 0;          ///< of the block
  std::optional<PosixRule> rule_{};  ///< what holds from the last transition on
};

}  // namespace holdfast::schedule
