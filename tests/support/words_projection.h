#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection.h>

namespace holdfast::test {

/// A projection that follows the journal: of each entity its name, of each edge its relation and
/// target, in capitals. Its table is "words".
class WordsProjection final : public journal::Projection {
 public:
  static constexpr std::string_view kTable =
      "CREATE TABLE words (space TEXT NOT NULL, name TEXT NOT NULL, generation INTEGER NOT NULL,"
      " kind TEXT NOT NULL, id BLOB NOT NULL, value TEXT NOT NULL,"
      " PRIMARY KEY (space, name, generation, kind, id))";

  std::string_view type() const override { return "words"; }
  std::uint64_t protocol() const override { return protocol_; }
  journal::Upkeep upkeep() const override { return journal::Upkeep::followed; }
  std::vector<std::string_view> sources(const JsonObject&) const override {
    return {"entity", "edge"};
  }
  std::optional<std::string> input(const JsonObject& declaration, std::string_view kind,
                                   const journal::StoredRow& row) const override;
  std::vector<journal::Derived> derive(const JsonObject& declaration,
                                  std::span<const std::string> inputs) const override;
  std::optional<Uuid> write(storage::Transaction& transaction, const journal::DerivedOf& of,
                            std::string_view derived) const override;
  void purge(storage::Transaction& transaction, const journal::DerivedOf& of) const override;
  std::optional<std::string> stored(storage::Transaction& transaction,
                                    const journal::DerivedOf& of) const override;
  std::string_view table() const override { return "words"; }

  /// As if the program were of another version.
  void set_protocol(std::uint64_t protocol) { protocol_ = protocol; }
  /// Of inputs that hold this word nothing can be derived; "" for none.
  void refuse(std::string word) { refused_ = std::move(word); }
  /// Inputs that were derived from, ever.
  std::uint64_t derived() const { return derived_; }

 private:
  std::uint64_t protocol_ = 1;
  std::string refused_;
  mutable std::atomic<std::uint64_t> derived_{0};
};

}  // namespace holdfast::test
