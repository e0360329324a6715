#pragma once

#include <string_view>

struct sqlite3;

namespace holdfast::storage::sqlite {

/// Throws the exception that `code` stands for; `doing` says what was being tried.
[[noreturn]] void fail(int code, std::string_view message, std::string_view doing);
[[noreturn]] void fail(sqlite3* connection, std::string_view doing);

}  // namespace holdfast::storage::sqlite
