#pragma once

#include <map>
#include <set>
#include <string>

#include <holdfast/journal/appender.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/space/plan.h>

namespace holdfast {

/// One plan within a write transaction. First every expectation is compared with what is there;
/// then the steps are made in order by the same changes that single writes make. What stands in the
/// way is collected to the end; the caller undoes everything unless the answer is `applied`.
class PlanRun {
 public:
  PlanRun(journal::Appender& appender, const notes::NoteStore& notes, const Plan& plan);

  PlanResult run();

 private:
  void look();
  Outcome look_at(std::size_t index);
  Outcome look_at_row(std::size_t index);
  void write();
  void write_step(std::size_t index);
  template <class Store>
  StepResult change(const Store& store, const PlanStep& step);
  void finish(std::size_t index);
  bool rests_on_refused(std::size_t index) const;

  journal::Appender& appender_;
  const notes::NoteStore& notes_;
  const Plan& plan_;
  PlanResult result_;
  using RowName = std::pair<RowKind, Uuid>;
  /// The first step for each row that was refused or not evaluated.
  std::map<RowName, std::size_t> refused_;
  std::set<Uuid> written_;  ///< rows that an earlier step has written, edges along with it too
};

/// The answer as `requests` keeps it, and made again from that.
std::string kept_form(const PlanResult& result);
PlanResult repeated(storage::Transaction& transaction, std::string_view space,
                    const notes::NoteStore& notes, const JsonObject& kept,
                    const std::string& request_id);

/// A plan's answer is always kept: no single row's history tells of it.
inline bool covers_several(const PlanResult&) { return true; }

}  // namespace holdfast
