#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <holdfast/journal/appender.h>

namespace holdfast::journal {

/// What a caller asks for under an id of its own, so that asking again cannot do it twice.
struct Request {
  std::string id;
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of what is asked for
};
/// Throws InvalidArgument for an id that breaks the rules of input. `what` is all that makes it
/// this request and no other.
Request make_request(std::string_view id, std::string_view what);

/// The answer kept for the request, absent when it was never applied. Throws
/// InvalidArgument("request_id") when the id stands for another request, Gone when the space's
/// retention is over: the request was applied, its answer is kept no longer.
std::optional<std::string> find_answer(Appender& appender, const Request& request);

/// When and where a request was applied; known for good.
struct RequestRecord {
  Sequence seq = 0;  ///< of the last event it wrote
  Timestamp at;
};
std::optional<RequestRecord> find_request(storage::Transaction& transaction,
                                          std::string_view space, std::string_view id);

/// Keeps the answer in the transaction that applied the request, and drops some that are past
/// their retention; what stays of those are their ids and digests.
void keep_answer(Appender& appender, const Request& request, std::string_view answer);

}  // namespace holdfast::journal
