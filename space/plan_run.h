#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/journal/appender.h>
#include <holdfast/notes/note_store.h>
#include <holdfast/space/plan.h>

#include "read_set.h"

namespace holdfast {

/// Calls `use` with the store of the kind.
template <class Use>
auto with_store(RowKind kind, const notes::NoteStore& notes, Use use) {
  if (kind == RowKind::entity) return use(graph::EntityStore{});
  if (kind == RowKind::edge) return use(graph::EdgeStore{});
  return use(notes);
}

/// Whether such a step only says what the plan rests on.
bool is_expectation(PlanOp op);

/// Throws InvalidArgument("read_token") unless the token was taken of this space, of the line of
/// history that it has now.
void require_own(storage::Transaction& transaction, std::string_view space,
                 const ReadToken& token);

/// One plan within a write transaction. First every expectation is compared with what is there;
/// then the steps are made in order by the same changes that single writes make. What stands in the
/// way is collected to the end; the caller undoes everything unless the answer is `applied`.
class PlanRun {
 public:
  /// `views`, in the order of `after`, are of the changes of a transaction, which come first.
  PlanRun(journal::Appender& appender, const notes::NoteStore& notes, const Plan& plan,
          const std::vector<OwnView>& views = kNoViews);

  PlanResult run();
  /// Rows that the steps have written, edges along with them too.
  const std::set<Uuid>& written() const noexcept { return written_; }
  /// The views that are not as they were; those behind a refused step are not looked at.
  const std::vector<std::size_t>& moved_views() const noexcept { return moved_views_; }

 private:
  void look();
  Outcome look_at(std::size_t index);
  Outcome look_at_row(std::size_t index);
  Outcome look_at_neighborhood(std::size_t index);
  Outcome look_at_note_key(std::size_t index);
  Outcome look_at_key(std::size_t index);
  Outcome look_at_list(std::size_t index);
  void require_past(std::size_t index, const char* field, Sequence seq) const;
  void write();
  void write_step(std::size_t index);
  void look_through(std::size_t changes);
  template <class Store>
  StepResult change(const Store& store, const PlanStep& step);
  void finish(std::size_t index);
  bool rests_on_refused(std::size_t index) const;

  journal::Appender& appender_;
  const notes::NoteStore& notes_;
  const Plan& plan_;
  const std::vector<OwnView>& views_;
  Sequence first_seq_;  ///< of the plan's first event
  std::size_t views_seen_ = 0;
  std::vector<std::size_t> moved_views_;
  PlanResult result_;
  using RowName = std::pair<RowKind, Uuid>;
  /// The first step for each row that was refused or not evaluated.
  std::map<RowName, std::size_t> refused_;
  bool gave_vectors_ = false;
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
