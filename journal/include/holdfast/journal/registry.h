#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>
#include <holdfast/journal/event.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

class Appender;
class Projection;

/// Whether a row is there, as far as others need to know it.
struct Mark {
  Sequence seq = 0;  ///< of its last change
  std::optional<Timestamp> deleted_at;
  bool is_live() const { return !deleted_at.has_value(); }
};

/// One thing that verify() found wrong.
struct Finding {
  std::string check;   ///< stable name of the rule that is broken
  std::string space;
  std::string detail;  ///< ids and numbers, never contents
};
using Report = std::function<void(Finding)>;

/// A row as verify() and projections see it: what the journal's last event must hold, byte for
/// byte.
struct StoredRow {
  Uuid id;
  Sequence seq = 0;
  std::string body;
  bool is_live = true;
};

/// A kind of row that the journal records: what a store tells the layers below it.
struct Source {
  std::string_view kind;   ///< frozen: part of the file format
  std::string_view table;
  /// Visits every row of the space in id order.
  std::function<void(storage::Transaction&, std::string_view space,
                     const std::function<void(const StoredRow&)>&)>
      walk;
  /// Up to `limit` rows behind `after` in id order; behind the nil id they begin with the first.
  std::function<std::vector<StoredRow>(storage::Transaction&, std::string_view space,
                                       const Uuid& after, std::size_t limit)>
      page;
  std::function<std::optional<StoredRow>(storage::Transaction&, std::string_view space,
                                         const Uuid& id)>
      find;
  /// Rules of the store's own that verify() checks too; may be empty.
  std::function<void(storage::Transaction&, std::string_view space, const Report&)> check;
  /// Takes in an event of another journal: the row becomes what the body says, or goes, and the
  /// event is appended as it is. Checks nothing but the schema's keys, so whoever replays a journal
  /// verifies the space before it is kept.
  std::function<void(Appender&, const Event&)> replay{};
  /// A table beside it that is made from the rows, and what its rows are told apart by.
  struct Derived {
    std::string_view table;
    std::string_view key;
  };
  std::optional<Derived> derived{};
};

/// The stores of one database, so that the journal can read a source row without knowing its
/// module, and the types of projections that are made from the rows. Filled before use, then
/// constant. Thread safety: reads from any thread.
class Registry {
 public:
  void add(Source source);
  /// `projection` must outlive the registry.
  void add(const Projection& projection);
  /// The same but for this projection, in the place of the one of its type. It must outlive what is
  /// returned.
  Registry with(const Projection& projection) const;
  const std::vector<Source>& sources() const { return sources_; }
  const std::vector<const Projection*>& projections() const { return projections_; }
  bool knows(std::string_view kind) const;
  /// Throws InvalidArgument("kind") for a kind that no store has registered.
  const Source& source(std::string_view kind) const;
  bool knows_projection(std::string_view type) const;
  /// Throws Unsupported for a type that is not registered.
  const Projection& projection(std::string_view type) const;
  /// The row's mark as this transaction sees it; absent when there is no such row.
  std::optional<Mark> probe(storage::Transaction& transaction, std::string_view space,
                            std::string_view kind, const Uuid& id) const;

 private:
  std::vector<Source> sources_;
  std::vector<const Projection*> projections_;
  std::vector<std::string> probes_;  ///< one statement for each source
};

}  // namespace holdfast::journal
