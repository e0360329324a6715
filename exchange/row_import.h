#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <holdfast/exchange/import.h>
#include <holdfast/exchange/jsonl.h>
#include <holdfast/space/space.h>

namespace holdfast::exchange {

inline constexpr std::size_t kRowsAtOnce = 1000;  ///< in one transaction

/// How an import treats the rows that it brings.
struct ImportRules {
  /// Rows come with times, revision and deletion; others get them here, and are compared without.
  bool are_exported = false;
  ImportMode mode = ImportMode::replace;
  /// What stays as it is because others have written it, or finds no place, ends the import: the
  /// caller has looked before it wrote anything.
  bool refuses_kept = false;
  bool refuses_skipped = false;
  /// Limits of the space and its demand for declared relations do not count; see
  /// journal::Appender::lift_settings().
  bool lifts_settings = false;
};

/// What is to become of one row of the source.
template <class Row>
struct Verdict {
  enum class Deed { create, leave, replace, keep };
  Deed deed = Deed::create;
  std::optional<Row> stored;
  std::string why;  ///< with `keep`: in words
};

/// Brings rows into a space, in transactions of up to kRowsAtOnce, each row judged and written in
/// one transaction: a row that is there is replaced only when its last event is the importer's own.
/// Rows must be in stored form, and come in the order relations, entities, notes, edges,
/// scheduled events.
/// Thread safety: none.
class RowImport {
 public:
  /// All must outlive the import.
  RowImport(const Space& space, const ImportControl& control, ImportReport& report);

  ImportRules rules;
  ImportProgress progress;

  /// Judges a row as it would be now. Puts a symmetric edge's ends in order, and gives a row that
  /// is not exported the times of the stored one.
  template <class Row>
  Verdict<Row> judge(storage::Transaction& transaction, Row& wanted) const;
  /// Remembers that the row is to stay, whatever the import itself does to it by a cascade.
  void hold(const Uuid& id, std::string why) { held_.emplace(id, std::move(why)); }

  /// Writes up to kRowsAtOnce rows in one transaction and counts them. Those whose key is another
  /// row's wait for finish(). False when the import was stopped.
  template <class Row>
  bool write(std::span<const Row> rows);
  /// Tries the waiting rows again, until none finds its place free.
  template <class Row>
  bool finish();
  /// write() for any number, and finish().
  template <class Row>
  bool write_all(std::span<const Row> rows);

  /// Throws Conflict for the first row that would stay as it is because others have written it.
  template <class Row>
  void refuse_conflicts(storage::Transaction& transaction, std::span<const Row> rows) const;
  [[noreturn]] static void refuse(std::string_view kind, const std::string& name,
                                  const std::string& why);

 private:
  struct Batch {
    ImportCount counts;
    bool expects_absent = true;        ///< the row before was not there
    std::vector<KeptRow> kept;
    std::vector<std::size_t> waiting;  ///< indexes of rows
  };
  template <class Row>
  Batch run(std::span<const Row> rows, bool may_wait);
  template <class Row>
  void write_one(journal::Appender& appender, std::span<const Row> rows, std::size_t at,
                 bool may_wait, Batch& batch) const;
  template <class Row>
  void settle(const Row& row, std::size_t at, const WriteResult<Row>& result, bool is_new,
              bool may_wait, Batch& batch) const;
  template <class Row>
  void keep(const Row& row, std::string why, bool refuses, Batch& batch) const;
  template <class Row>
  WriteResult<Row> apply(journal::Appender& appender, Row wanted,
                         const Verdict<Row>& verdict) const;
  template <class Row>
  void note(const Batch& batch);
  bool goes_on(std::size_t rows);

  const Space& space_;
  const ImportControl& control_;
  ImportReport& report_;
  bool expects_absent_ = true;
  std::unordered_map<Uuid, std::string> held_;
  std::tuple<std::vector<Relation>, std::vector<Entity>, std::vector<Note>, std::vector<Edge>,
             std::vector<ScheduledEvent>>
      waiting_;
};

/// The other live edge that holds the triple over part of the edge's time.
std::optional<Edge> holder_of_place(storage::Transaction& transaction, const Space& space,
                                    const Edge& edge);

}  // namespace holdfast::exchange
