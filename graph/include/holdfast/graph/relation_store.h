#pragma once

#include <optional>
#include <string_view>

#include <holdfast/graph/relation.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/event.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/write_result.h>
#include <holdfast/storage/page.h>

namespace holdfast::graph {

/// Declarations of relations, journaled and guarded like all rows.
/// Holds no state; thread safety is the transaction's.
class RelationStore {
 public:
  /// Judges the caller's fields and puts them in stored form. Throws InvalidArgument.
  static void normalise(Relation& relation);

  /// Declares the relation, or changes its declaration to this one; `unchanged` when it is so
  /// already, `in_use` when `symmetric` would change over existing edges or a live edge would
  /// break the new rules.
  static WriteResult<Relation> declare(journal::Appender& appender, Relation relation);
  /// An import's primitive: the row as it is, with times and revision; its id is made here.
  /// Outcomes: applied, exists, in_use.
  static WriteResult<Relation> insert_if_absent(journal::Appender& appender, Relation relation);
  /// Made from the names, so that two declarations of one relation are one row.
  static RelationId id_of(std::string_view space, std::string_view relation);
  /// The primitive: `relation` carries its id and new revision, `expected` what was read.
  static WriteResult<Relation> replace_if_unchanged(journal::Appender& appender,
                                                    Relation relation,
                                                    const Expected& expected);
  static std::optional<Relation> find(storage::Transaction& transaction, std::string_view space,
                                      std::string_view relation);
  /// In the order of their names.
  static Page<Relation> list(storage::Transaction& transaction, std::string_view space,
                             const PageRequest& page);
  static journal::Source source();
  /// The row under its struct's field names; times in microseconds.
  static std::string to_json(const Relation& relation);
  static std::string body(const Relation& relation);
  static Relation from_json(const JsonObject& document);
  using Row = Relation;
  static Relation from_event(storage::Transaction& transaction, std::string_view space,
                             const Event& event);
};

}  // namespace holdfast::graph
