#pragma once

#include <string>
#include <string_view>

#include <holdfast/schedule/attempt.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::schedule {

/// "SELECT <the columns that read_attempt() takes> FROM attempts".
inline constexpr std::string_view kSelectAttempt =
    "SELECT occurrence, number, event, trigger_at, armed_at, invocation, worker, state, effect,"
    " error, passed_over, tries, is_idempotent, claimed_at, invoked_at, completed_at, finished_at,"
    " retry_at FROM attempts";
Attempt read_attempt(const storage::Row& row);
void insert_attempt(storage::Transaction& transaction, std::string_view space,
                    const Attempt& attempt);

}  // namespace holdfast::schedule
