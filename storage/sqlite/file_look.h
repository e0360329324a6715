#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "connection.h"

/// What can be learnt of a database file without a query, which might leave files beside it.
namespace holdfast::storage::sqlite {

// sqlite.org/fileformat2.html: the header of a database file.
inline constexpr int kHeaderBytes = 100;
inline constexpr std::size_t kWriteVersionAt = 18;
inline constexpr std::size_t kReadVersionAt = 19;
inline constexpr char kVersionOfLog = 2;  ///< in either: the file is in WAL mode
inline constexpr std::size_t kApplicationIdAt = 68;
inline constexpr std::string_view kMagic("SQLite format 3\0", 16);

/// The first kHeaderBytes, or what there is of them. Reads through SQLite's file alone: opening and
/// closing it ourselves would drop the locks that another connection of this process holds.
std::string read_header(const ConnectionOptions& options);

/// What changes when somebody writes to a file, its log being empty: inode, size, change time.
using Trace = std::array<std::int64_t, 4>;
Trace trace_of(const std::string& path);

}  // namespace holdfast::storage::sqlite
