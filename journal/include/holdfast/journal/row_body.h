#pragma once

// Thread safety: that of the transaction, one thread at a time.

#include <string_view>
#include <vector>

#include <holdfast/core/json_fields.h>
#include <holdfast/journal/event.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

/// The fields that every row has, besides those of its kind. "seq" may be absent: an event's body
/// does not repeat it.
void add_common_fields(std::vector<core::Field>& fields, Uuid& id, Timestamp& created_at,
                       Revision& revision, std::optional<Timestamp>& deleted_at, Sequence& seq);

/// Applies the members of a row's document. Throws InvalidArgument naming the first field that is
/// missing, unknown or of another type.
void read_body(const JsonObject& document, const std::vector<core::Field>& fields);

/// Whether the row was there and has been purged.
bool is_purged(storage::Transaction& transaction, std::string_view space, std::string_view kind,
               const Uuid& id);

/// Throws Gone for an event whose body was blanked.
[[noreturn]] void refuse_purged(const Event& event);

}  // namespace holdfast::journal
