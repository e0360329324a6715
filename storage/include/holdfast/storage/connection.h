#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <holdfast/storage/statement.h>

namespace holdfast::storage {

class StatementCache {
 public:
  using Compile = std::function<std::unique_ptr<PreparedStatement>(std::string_view)>;
  explicit StatementCache(Compile compile) : compile_(std::move(compile)) {}

  std::unique_ptr<PreparedStatement> take(std::string_view sql);
  void give_back(std::string_view sql, std::unique_ptr<PreparedStatement> statement);
  void clear() { idle_.clear(); }

 private:
  /// Texts that vary (list filters) are many; beyond this number the cache starts afresh.
  static constexpr std::size_t kTextsMax = 256;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  Compile compile_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<PreparedStatement>>, Hash,
                     std::equal_to<>>
      idle_;
};

/// One connection of a backend. Thread safety: one thread at a time.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Runs one statement without parameters or results.
  virtual void execute(const char* sql) = 0;
  /// False when the backend has ended the transaction by itself, as it does on a full disk.
  virtual bool in_transaction() const = 0;
  virtual StatementCache& statements() = 0;
  /// What a SELECT must end with to lock the rows it reads: nothing where a write transaction
  /// excludes all others.
  virtual std::string_view lock_rows() const = 0;
};

}  // namespace holdfast::storage
