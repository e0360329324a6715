#pragma once

// Thread safety: values and functions without state; any thread.

#include <string>
#include <string_view>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>

namespace holdfast {

/// Where a space's history stood when a front end began to read: what it read then is expected to
/// be as it was at that sequence. Opaque to those who carry it; nothing is kept for it.
struct ReadToken {
  Uuid space;
  Timestamp made_at;  ///< when the space was made: one made anew under its name is another
  Sequence seq = 0;
  std::string event;  ///< digest of the event at `seq`: a restored backup has another line
  bool operator==(const ReadToken&) const = default;

  /// Reads what to_string() writes. Throws InvalidArgument("read_token").
  static ReadToken parse(std::string_view text);
};
std::string to_string(const ReadToken& token);

}  // namespace holdfast
