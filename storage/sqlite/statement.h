#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <holdfast/storage/statement.h>

namespace holdfast::storage::sqlite {

class SqliteStatement final : public PreparedStatement {
 public:
  SqliteStatement(sqlite3* connection, std::string_view sql);

  int parameters() const override { return static_cast<int>(slots_.size()); }
  void bind_integer(int parameter, std::int64_t value) override;
  void bind_real(int parameter, double value) override;
  void bind_text(int parameter, std::string_view value) override;
  void bind_blob(int parameter, std::span<const std::uint8_t> value) override;
  void bind_null(int parameter, Type type) override;
  bool step() override;
  std::int64_t affected() const override;
  void reset() noexcept override;

  /// What the present row holds there, whatever was declared; nothing for a null.
  std::optional<Type> type(int column) const;
  bool is_null(int column) const override;
  std::int64_t integer(int column) const override;
  double real(int column) const override;
  std::string_view text(int column) const override;
  std::span<const std::uint8_t> blob(int column) const override;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  int slot(int parameter) const { return slots_[static_cast<std::size_t>(parameter) - 1]; }
  void check(int code);

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<int> slots_;  ///< SQLite numbers $n by first appearance
  bool is_running_ = false;
};

}  // namespace holdfast::storage::sqlite
