#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <holdfast/graph/relation.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/registry.h>
#include <holdfast/journal/write_result.h>

namespace holdfast::graph {

/// Declarations of relations, journaled and guarded like all rows.
/// Holds no state; thread safety is the transaction's.
class RelationStore {
 public:
  /// Declares the relation, or changes its declaration to this one; `unchanged` when it is so
  /// already, `in_use` when `symmetric` would change over existing edges.
  static WriteResult<Relation> declare(journal::Appender& appender, Relation relation);
  /// The primitive: `relation` carries its id and new revision, `expected` what was read.
  static WriteResult<Relation> replace_if_unchanged(journal::Appender& appender,
                                                    Relation relation,
                                                    const Expected& expected);
  static std::optional<Relation> find(storage::Transaction& transaction, std::string_view space,
                                      std::string_view relation);
  static std::vector<Relation> list(storage::Transaction& transaction, std::string_view space);
  static journal::Source source();
};

}  // namespace holdfast::graph
