#include <holdfast/core/revision.h>

#include <holdfast/core/error.h>

#include <algorithm>
#include <limits>
#include <string>

namespace holdfast {

Revision next_revision(Timestamp now, Revision read) {
  if (read.us == std::numeric_limits<std::int64_t>::max()) {
    throw InvalidArgument("revision", std::to_string(read.us),
                          "have a later revision to advance to");
  }
  return Revision{std::max(to_us(now), read.us + 1)};
}

Revision first_revision(Timestamp now) {
  return Revision{std::max<std::int64_t>(to_us(now), 1)};
}

}  // namespace holdfast
