#pragma once

#include <string>

#include <holdfast/journal/appender.h>
#include <holdfast/space/access.h>

namespace holdfast {

/// Who writes where, under a fresh request id.
inline journal::WriteContext write_context(const Access& access) {
  return {.space = access.space,
          .actor = access.actor,
          .request_id = to_string(access.environment.ids.next()),
          .environment = access.environment};
}

/// Submits one guarded write to the store's writer: `write` gets the Appender and answers with a
/// WriteResult, and what was refused is undone.
template <class Result, class Write>
Result submit_write(const Access& access, Write write) {
  const journal::WriteContext context = write_context(access);
  Result result;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        result = journal::in_space(transaction, context, write);
        return result.applied() ? storage::Verdict::keep : storage::Verdict::undo;
      },
      context.request_id);
  return result;
}

}  // namespace holdfast
