#include "log_tail.h"

#include <array>
#include <cstring>
#include <optional>

namespace holdfast::storage::sqlite {
namespace {

// sqlite.org/walformat.html: the log is a header and frames of header and page; the wal-index
// begins with two equal copies of a header in native byte order.
constexpr std::int64_t kLogHeaderBytes = 32;
constexpr std::int64_t kFrameHeaderBytes = 24;
constexpr int kIndexRegionBytes = 32768;

struct IndexHeader {
  std::uint32_t version;
  std::uint32_t unused;
  std::uint32_t changes;
  std::uint8_t is_initialised;
  std::uint8_t big_endian_checksums;
  std::uint16_t page_bytes;  ///< 1 stands for 65,536
  std::uint32_t frames;      ///< in the log up to its last commit
  std::uint32_t pages;
  std::array<std::uint32_t, 6> sums;
};
static_assert(sizeof(IndexHeader) == 48);
constexpr std::uint32_t kIndexVersion = 3007000;

sqlite3_file* file_of(SqliteConnection& connection, int which) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection.handle(), "main", which, &file) != SQLITE_OK) return nullptr;
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

std::optional<IndexHeader> read_index(sqlite3_file* database) {
  if (database->pMethods->iVersion < 2 || database->pMethods->xShmMap == nullptr) return {};
  volatile void* region = nullptr;
  if (database->pMethods->xShmMap(database, 0, kIndexRegionBytes, 0, &region) != SQLITE_OK ||
      region == nullptr) {
    return {};
  }
  // Only writers change it, and the caller is the only one.
  std::array<IndexHeader, 2> copies;
  std::memcpy(copies.data(), const_cast<const void*>(region), sizeof copies);
  const IndexHeader& header = copies[0];
  if (std::memcmp(&copies[0], &copies[1], sizeof header) != 0) return {};
  if (header.version != kIndexVersion || header.is_initialised == 0) return {};
  return header;
}

}  // namespace

bool wipe_log_tail(SqliteConnection& connection, WipeSync sync) noexcept {
  sqlite3_file* const database = file_of(connection, SQLITE_FCNTL_FILE_POINTER);
  sqlite3_file* const log = file_of(connection, SQLITE_FCNTL_JOURNAL_POINTER);
  if (database == nullptr || log == nullptr) return false;
  const auto index = read_index(database);
  if (!index) return false;
  const std::int64_t page_bytes = index->page_bytes == 1 ? 65536 : index->page_bytes;
  const std::int64_t frame_bytes = kFrameHeaderBytes + page_bytes;
  const std::int64_t tail = kLogHeaderBytes + index->frames * frame_bytes;
  sqlite3_int64 size = 0;
  if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return false;
  // Half a frame is none.
  if (size < tail + frame_bytes) return true;
  constexpr std::array<char, kFrameHeaderBytes> kNoFrame{};
  if (log->pMethods->xWrite(log, kNoFrame.data(), kFrameHeaderBytes, tail) != SQLITE_OK) {
    return false;
  }
  return sync == WipeSync::none || log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

}  // namespace holdfast::storage::sqlite
