#include "support/crash_order.h"

namespace holdfast::test {
namespace {

// Format of the write-ahead log: a header, then frames of header and page, numbers big-endian.
constexpr std::size_t kLogHeaderBytes = 32;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::size_t kLogSaltAt = 16;
constexpr std::size_t kFrameSaltAt = 8;
constexpr std::size_t kSaltBytes = 8;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(at, 4)) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

bool holds_frame(std::string_view log, std::int64_t offset, std::string_view page) {
  if (log.size() < kLogHeaderBytes) return false;
  const std::string_view salt = log.substr(kLogSaltAt, kSaltBytes);
  const std::size_t page_bytes = page.size();
  const auto number = static_cast<std::uint32_t>(static_cast<std::size_t>(offset) / page_bytes) + 1;
  const std::size_t frame_bytes = kFrameHeaderBytes + page_bytes;
  for (std::size_t at = kLogHeaderBytes; at + frame_bytes <= log.size(); at += frame_bytes) {
    if (big_endian(log, at) != number) continue;
    if (log.substr(at + kFrameSaltAt, kSaltBytes) != salt) continue;
    if (log.substr(at + kFrameHeaderBytes, page_bytes) == page) return true;
  }
  return false;
}

std::string describe(const std::string& database, std::int64_t offset, const char* what) {
  return database + ": page at offset " + std::to_string(offset) + " written before " + what;
}

}  // namespace

std::optional<std::string> journal_order_violation(const DiskImage& disk,
                                                   const std::string& database,
                                                   std::int64_t offset, std::string_view page) {
  const auto log = disk.find(database + "-wal");
  if (log && log->now.size() >= kLogHeaderBytes) {
    if (holds_frame(log->durable, offset, page)) return std::nullopt;
    return describe(database, offset, "its log frame was synced");
  }
  const auto journal = disk.find(database + "-journal");
  if (journal && !journal->now.empty() && !journal->unsynced.empty()) {
    return describe(database, offset, "the rollback journal was synced");
  }
  return std::nullopt;
}

}  // namespace holdfast::test
