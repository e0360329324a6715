#include <holdfast/exchange/jsonl.h>

#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/journal/row_body.h>

#include "jsonl_file.h"
#include "jsonl_history.h"
#include "jsonl_judge.h"
#include "key_judge.h"
#include "row_import.h"
#include "row_kinds.h"

namespace holdfast::exchange {
namespace {

template <class Row>
inline constexpr bool kIsEvent = std::is_same_v<std::decay_t<Row>, Event>;

/// What the first pass finds out.
struct Survey {
  SpaceSettings settings;       ///< of the file
  SpaceSettings stored;         ///< of the space
  bool has_history = false;
  bool had_no_rows = false;     ///< of the space
  std::uint64_t rows = 0;       ///< in the file
  std::uint64_t rows_here = 0;  ///< in the space
  std::uint64_t rows_met = 0;   ///< in both
};

/// One call of import_jsonl().
class JsonlImport {
 public:
  JsonlImport(const Space& space, const std::filesystem::path& file, const JsonlOptions& options,
              const ImportControl& control)
      : space_(space), path_(file), options_(options), import_(space, control, report_) {
    import_.rules.are_exported = true;
    import_.rules.mode = options.mode;
    import_.rules.refuses_skipped = options.mode == ImportMode::fail;
    import_.rules.refuses_kept =
        options.mode == ImportMode::fail ||
        (options.mode == ImportMode::replace && options.on_conflict == OnConflict::fail);
  }

  JsonlReport run() {
    survey();
    if (survey_.has_history) {
      replay_history(space_, path_, report_);
      return report_;
    }
    adopt_settings();
    import_.progress.total = survey_.rows;
    write_rows();
    return report_;
  }

 private:
  // --- the first pass: everything is read and judged, nothing written ---

  void survey() {
    const auto snapshot = space_.access().database.snapshot(storage::ReaderAge::unbounded);
    storage::Transaction& transaction = snapshot->transaction();
    const auto row = journal::SpaceStore::find(transaction, space_.name());
    if (!row || row->deleted_at) throw NotFound("space", space_.name());
    survey_.stored = read_settings(row->settings);
    survey_.had_no_rows = never_had_a_row(transaction, space_);
    survey_.rows_here = survey_.had_no_rows ? 0 : count_rows(transaction);

    JsonlFile file(path_, space_.name());
    survey_.settings = file.header().settings;
    survey_.has_history = file.header().history;
    if (survey_.has_history && !survey_.had_no_rows) {
      throw Conflict("space " + space_.name() +
                     " has had rows; a file with history needs a space of its own");
    }
    KeyJudge keys(file, path_, transaction, space_);
    FileJudge judge(file, transaction, space_);
    while (auto next = file.next()) {
      std::visit(
          [&](auto& each) {
            judge.take(each);
            if constexpr (!kIsEvent<decltype(each)>) meet(transaction, keys, each);
          },
          *next);
    }
    survey_.rows = file.counts().rows();
    report_.abouts_missing = judge.abouts_missing();
    require_room();
    if (undeclared_ && survey_.rows_met != survey_.rows_here) {
      RowImport::refuse("edge", *undeclared_, "the space demands declared relations");
    }
  }

  void require_room() const {
    const std::uint64_t rows = survey_.rows_here + survey_.rows - survey_.rows_met;
    const auto limit = survey_.stored.rows_max;
    if (survey_.rows_met == survey_.rows_here || !limit || rows <= *limit) return;
    throw Full("space " + space_.name() + " would hold " + std::to_string(rows) +
               " rows with those of the file, and its rows_max allows " + std::to_string(*limit));
  }

  /// Compares a row with the space's, and remembers or refuses what is to stay.
  template <class Row>
  void meet(storage::Transaction& transaction, KeyJudge& keys, Row row) {
    const auto verdict =
        survey_.had_no_rows ? Verdict<Row>{} : import_.judge(transaction, row);
    if constexpr (std::is_same_v<Row, Entity>) {
      if (options_.mode == ImportMode::fail && !verdict.stored) keys.take(row);
    }
    if (survey_.had_no_rows) return;
    if (verdict.stored) ++survey_.rows_met;
    if (verdict.deed == Verdict<Row>::Deed::keep) {
      if (import_.rules.refuses_kept) refuse(row, verdict.why);
      if constexpr (!std::is_same_v<Row, Relation>) import_.hold(row.id.uuid, verdict.why);
    } else if (options_.mode == ImportMode::fail && !verdict.stored) {
      const std::string why = obstacle(transaction, row);
      if (!why.empty()) refuse(row, why);
    }
  }

  template <class Row>
  [[noreturn]] static void refuse(const Row& row, const std::string& why) {
    RowImport::refuse(RowKind<Row>::kName, RowKind<Row>::name(row), why);
  }

  /// What of the space's keeps a new row out; empty when nothing does.
  template <class Row>
  std::string obstacle(storage::Transaction& transaction, const Row& row) {
    if (journal::is_purged(transaction, space_.name(), RowKind<Row>::kName, row.id.uuid)) {
      return "was purged here, and its id is never used again";
    }
    if (row.deleted_at) return "";
    if constexpr (std::is_same_v<Row, Relation>) {
      if (contradicts_edges(row)) return "edges here contradict this declaration";
    }
    if constexpr (std::is_same_v<Row, Note>) {
      if (!row.key) return "";
      const auto holder = space_.note_store().find_key(transaction, space_.name(), *row.key);
      if (holder) return "note " + to_string(holder->id) + " has its key";
    }
    if constexpr (std::is_same_v<Row, Edge>) {
      const bool must_declare = survey_.stored.relations == RelationPolicy::declared;
      if (must_declare && declared_.count(row.relation) == 0 && !undeclared_ &&
          !graph::RelationStore::find(transaction, space_.name(), row.relation)) {
        undeclared_ = to_string(row.id);
      }
      const auto holder = holder_of_place(transaction, space_, row);
      if (holder) return "edge " + to_string(holder->id) + " has its triple over part of its time";
    }
    return "";
  }

  /// Tried, and taken back.
  bool contradicts_edges(const Relation& relation) {
    struct Undo {};
    declared_.insert(relation.relation);
    bool is_in_use = false;
    try {
      space_.write([&](journal::Appender& appender) {
        appender.lift_settings();
        const auto result = graph::RelationStore::insert_if_absent(appender, relation);
        is_in_use = result.outcome == Outcome::in_use;
        throw Undo{};
      });
    } catch (const Undo&) {
    }
    return is_in_use;
  }

  std::uint64_t count_rows(storage::Transaction& transaction) const {
    const auto count = [&](const auto& store, auto filter) {
      filter.deleted = Deleted::include;
      return store.count(transaction, space_.name(), filter);
    };
    std::uint64_t rows = count(graph::EntityStore{}, EntityFilter{}) +
                         count(graph::EdgeStore{}, EdgeFilter{}) +
                         count(space_.note_store(), NoteFilter{}) +
                         count(schedule::EventStore{}, EventFilter{});
    const auto relations = graph::RelationStore::list(transaction, space_.name(), {});
    return rows + relations.items.size() + relations.left_out;
  }

  // --- between the passes ---

  void adopt_settings() {
    if (survey_.rows_here == 0 && survey_.stored != survey_.settings) {
      (void)space_.configure(survey_.settings);
      report_.settings_applied = true;
      survey_.stored = survey_.settings;
    }
    report_.settings_differ = survey_.stored != survey_.settings;
    if (report_.settings_differ) {
      ++report_.kept_total;
      report_.kept.push_back(
          {"space", space_.name(),
           "has rows and keeps its settings, " + to_json(survey_.stored).text()});
    }
    // What the file holds was legal under these settings, in a space that holds nothing else.
    import_.rules.lifts_settings =
        !report_.settings_differ && survey_.rows_met == survey_.rows_here;
  }

  // --- the second pass ---

  void write_rows() {
    JsonlFile file(path_, space_.name());
    auto next = file.next();
    (void)(write_kind<Relation>(file, next) && write_kind<Entity>(file, next) &&
           write_kind<Note>(file, next) && write_kind<Edge>(file, next) &&
           write_kind<ScheduledEvent>(file, next));
  }

  template <class Row>
  bool write_kind(JsonlFile& file, std::optional<FileRow>& next) {
    std::vector<Row> rows;
    for (; next && std::holds_alternative<Row>(*next); next = file.next()) {
      rows.push_back(std::get<Row>(std::move(*next)));
      if (rows.size() < kRowsAtOnce) continue;
      if (!import_.write<Row>(rows)) return false;
      rows.clear();
    }
    return import_.write<Row>(rows) && import_.finish<Row>();
  }

  const Space& space_;
  const std::filesystem::path& path_;
  const JsonlOptions& options_;
  JsonlReport report_;
  RowImport import_;
  Survey survey_;
  std::set<std::string> declared_;         ///< by the file, and not in the space
  std::optional<std::string> undeclared_;  ///< the first edge of a relation that nobody declares
};

}  // namespace

JsonlReport import_jsonl(const Space& space, const std::filesystem::path& file,
                         const JsonlOptions& options, const ImportControl& control) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) &&
      !std::filesystem::is_regular_file(file, ignored) &&
      !std::filesystem::is_directory(file, ignored)) {
    throw InvalidArgument("file", file.string(),
                          "be a regular file, not a pipe: it is judged whole before it is read "
                          "again to be written");
  }
  return JsonlImport(space, file, options, control).run();
}

}  // namespace holdfast::exchange
