#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <holdfast/space/plan.h>
#include <holdfast/storage/transaction.h>

namespace holdfast {

/// What a transaction has read of others' data, as the expectations of a plan.
class ReadSet {
 public:
  /// False when the read contradicts an earlier one: then something has moved in between.
  [[nodiscard]] bool add(PlanStep read);

  const std::vector<PlanStep>& steps() const noexcept { return steps_; }

 private:
  [[nodiscard]] bool agree(PlanStep& earlier, const PlanStep& read) const;

  std::vector<PlanStep> steps_;
  std::map<std::string, std::size_t> places_;  ///< by what was read
};

/// A read that was answered through the transaction's own changes: after so many of them, `look`
/// must give that digest again.
struct OwnView {
  std::size_t after = 0;
  std::string what;
  /// `written` are the rows changed so far; their revisions and times are not to be compared.
  std::function<std::string(storage::Transaction&, const std::set<Uuid>& written)> look;
  std::string digest;
};
inline const std::vector<OwnView> kNoViews;

}  // namespace holdfast
