#pragma once

#include <optional>
#include <set>
#include <string>

#include <holdfast/journal/row_list.h>
#include <holdfast/space/access.h>
#include <holdfast/space/similar.h>
#include <holdfast/vectors/vector_index.h>

namespace holdfast {

/// A request's filter, asked of rows by the stores' own lists.
/// Thread safety: any number of calls at once.
class SimilarMatcher final : public vectors::Matcher {
 public:
  /// Throws InvalidArgument for what a list would refuse, and for filters that ask for deleted
  /// rows: they have no vectors. `access` must outlive it.
  SimilarMatcher(const Access& access, const SimilarFilter& filter);

  const std::string& key() const override { return key_; }
  bool matches(storage::Transaction& transaction, std::string_view kind,
               const Uuid& id) const override;
  void for_each(storage::Transaction& transaction, const Visit& visit) const override;
  bool is_shown(storage::Transaction& transaction, std::string_view kind,
                const Uuid& id) const override;

 private:
  bool passes(storage::Transaction& transaction, std::string_view kind, const Uuid& id) const;
  void for_each_id(storage::Transaction& transaction, const Visit& visit) const;

  const Access& access_;
  std::optional<EntityFilter> entity_filter_;
  std::optional<NoteFilter> note_filter_;  ///< without what changes as time passes
  std::optional<journal::RowMatcher> entities_;
  std::optional<journal::RowMatcher> notes_;
  std::set<Uuid> ids_;
  std::optional<Timestamp> live_at_;  ///< notes that have expired by then are not shown
  std::string key_;
};

}  // namespace holdfast
