#pragma once

// Thread safety: values and functions without state; any thread.

#include <string>
#include <vector>

#include <holdfast/vectors/given_vectors.h>

namespace holdfast {

/// What a write may be told besides what to write.
struct WriteOptions {
  /// An id of the caller's own, 1 to 256 bytes. Asking again with it, from any process, answers as
  /// the first time and writes nothing; InvalidArgument("request_id") when it asks for something
  /// else, Gone when the space keeps the answer no longer. Answers that wrote nothing are not
  /// kept: asking again then asks afresh. Empty: one is made.
  std::string request_id{};
  /// Vectors of the row as this write leaves it, which must be live. They land with it, or neither
  /// does: InvalidArgument for a model that there is not, or that embeds nothing of the row, for
  /// another number of vectors than the text has chunks, or another dimension; Conflict for a
  /// generation that is not written to. An `unchanged` row takes them too.
  std::vector<GivenVectors> vectors{};
};

}  // namespace holdfast
