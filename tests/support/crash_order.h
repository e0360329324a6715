#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/crash_disk.h"

namespace holdfast::test {

/// Says what is wrong when `page` is about to be written into a database file before the log or
/// journal that protects it is durable. Holds for synchronous=NORMAL and above.
///
/// In WAL mode the page must be found, byte for byte, among the log's synced frames. That is
/// stricter than "the log was synced since its last write", and stays true while another
/// connection appends frames during the checkpoint.
[[nodiscard]] std::optional<std::string> journal_order_violation(const DiskImage& disk,
                                                                 const std::string& database,
                                                                 std::int64_t offset,
                                                                 std::string_view page);

}  // namespace holdfast::test
