#include <holdfast/journal/projection_verify.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/projection_failures.h>

namespace holdfast::journal {
namespace {

/// Checks one generation that is written to.
class GenerationCheck {
 public:
  GenerationCheck(storage::Transaction& transaction, const Registry& registry,
                  std::string_view space, const Generation& generation, Sequence tail,
                  const Report& report)
      : transaction_(transaction),
        registry_(registry),
        space_(space),
        generation_(generation),
        projection_(registry.projection(generation.type)),
        tail_(tail),
        report_(report) {}

  void run() const {
    if (generation_.watermark > tail_ || generation_.walk_from > tail_) {
      found("projection.watermark", "it says that it reflects what is still to come");
    }
    // What other rules made is not served, and cannot be judged by these.
    if (generation_.signature != signature(projection_, generation_.declaration)) return;
    for (const std::string_view kind : projection_.sources(generation_.declaration)) {
      registry_.source(kind).walk(transaction_, space_, [&](const StoredRow& row) {
        check_source(kind, row);
      });
      check_gone(registry_.source(kind));
    }
  }

 private:
  void found(std::string check, const std::string& what) const {
    report_({.check = std::move(check),
             .space = std::string(space_),
             .detail = "generation " + std::to_string(generation_.number) + " of projection " +
                       generation_.projection + ": " + what});
  }

  /// A source that was purged takes its version along, once that was taken in.
  void check_gone(const Source& source) const {
    if (!claims(tail_)) return;
    const std::string sql =
        "SELECT count(*) FROM projection_versions AS v WHERE v.space = $1 AND v.name = $2"
        " AND v.generation = $3 AND v.kind = $4 AND NOT EXISTS (SELECT 1 FROM " +
        std::string(source.table) + " AS r WHERE r.space = v.space AND r.id = v.id)";
    auto count = transaction_.prepare(sql);
    count.bind(space_, generation_.projection, generation_.number, source.kind);
    const Sequence gone = count.step() ? count.get<Sequence>(0) : 0;
    if (gone > 0) {
      found("projection.orphan", "it has versions of " + std::to_string(gone) + " rows of " +
                                     std::string(source.table) + " that are not there");
    }
  }

  std::optional<Sequence> version_of(const DerivedOf& of) const {
    auto select = transaction_.prepare(
        "SELECT as_of_seq FROM projection_versions WHERE space = $1 AND name = $2"
        " AND generation = $3 AND kind = $4 AND id = $5");
    select.bind(of.space, of.projection, of.generation, of.kind, of.id);
    if (!select.step()) return std::nullopt;
    return select.get<Sequence>(0);
  }

  /// Whether the generation claims to reflect that change of a source.
  bool claims(Sequence seq) const {
    if (!generation_.walk_done) return false;
    return generation_.upkeep == Upkeep::in_transaction || seq <= generation_.watermark;
  }

  /// It is listed that nothing can be derived of the row as it is.
  bool has_failed(const DerivedOf& of, const StoredRow& row) const {
    const auto failure = find_failure(transaction_, of);
    return failure && failure->as_of >= row.seq;
  }

  /// Its writer has not brought what is derived from it yet.
  bool is_waiting(std::string_view kind, const StoredRow& row) const {
    return row.is_live && !projection_.can_derive(generation_.declaration) &&
           projection_.input(generation_.declaration, kind, row).has_value();
  }

  bool is_lacking(const DerivedOf& of, const StoredRow& row) const {
    return claims(row.seq) && !has_failed(of, row) && !is_waiting(of.kind, row);
  }

  void check_source(std::string_view kind, const StoredRow& row) const {
    const DerivedOf of{.space = space_,
                       .projection = generation_.projection,
                       .generation = generation_.number,
                       .kind = kind,
                       .id = row.id};
    const std::string name = std::string(kind) + " " + to_string(row.id);
    const auto version = version_of(of);
    if (!version) {
      if (is_lacking(of, row)) found("projection.missing", name + " has no version");
      if (projection_.stored(transaction_, of)) {
        found("projection.row", name + " has derived rows without a version");
      }
      return;
    }
    if (*version > tail_) found("projection.version", name + " is of what is still to come");
    if (*version < row.seq) {
      if (is_lacking(of, row)) found("projection.stale", name + " is of an earlier state");
      return;
    }
    check_derived(of, row, name);
  }

  void check_derived(const DerivedOf& of, const StoredRow& row, const std::string& name) const {
    std::optional<std::string> input;
    try {
      if (row.is_live) input = projection_.input(generation_.declaration, of.kind, row);
    } catch (const InvalidArgument&) {
      // Nothing can be made of it, so nothing may be there.
    }
    if (!is_derived_from(transaction_, of, input)) {
      found("projection.version", name + " is said to be made from what the source does not hold");
    }
    const auto stored = projection_.stored(transaction_, of);
    if (stored.has_value() != input.has_value()) {
      found("projection.row", name + (stored ? " has derived rows that it should not have"
                                             : " lacks its derived rows"));
      return;
    }
    if (!input) return;
    if (!projection_.could_be(generation_.declaration, *input, *stored)) {
      found("projection.row", name + " has derived rows of another form than it should have");
    }
    if (generation_.upkeep != Upkeep::in_transaction) return;
    const std::vector<std::string> inputs = {*input};
    if (projection_.derive(generation_.declaration, inputs).at(0).value != *stored) {
      found("projection.row", name + " has other derived rows than it should have");
    }
  }

  storage::Transaction& transaction_;
  const Registry& registry_;
  std::string_view space_;
  const Generation& generation_;
  const Projection& projection_;
  Sequence tail_;
  const Report& report_;
};

/// Rows of generations that the catalogue does not have, and derived rows without a version.
void check_orphans(storage::Transaction& transaction, const Registry& registry,
                   std::string_view space, std::string_view only, const Report& report) {
  const auto check = [&](std::string_view table, const std::string& condition,
                         const std::string& what) {
    const std::string sql = "SELECT name, count(*) FROM " + std::string(table) +
                            " AS d WHERE d.space = $1 AND " + condition + " GROUP BY name";
    auto select = transaction.prepare(sql);
    select.bind(space);
    while (select.step()) {
      const auto name = select.get<std::string>(0);
      if (!only.empty() && only != name) continue;
      report({.check = "projection.orphan",
              .space = std::string(space),
              .detail = "projection " + name + " has " +
                        std::to_string(select.get<Sequence>(1)) + " rows in " +
                        std::string(table) + what});
    }
  };
  // Of any kind: with the kind named, the versions' own index finds the one.
  std::string kinds;
  for (const Source& source : registry.sources()) {
    kinds += (kinds.empty() ? "'" : ", '") + std::string(source.kind) + "'";
  }
  const std::string no_generation =
      "NOT EXISTS (SELECT 1 FROM projection_generations AS g WHERE g.space = d.space"
      " AND g.name = d.name AND g.generation = d.generation)";
  check("projection_versions", no_generation, " of no generation");
  check("projection_failures", no_generation, " of no generation");
  for (const Projection* const projection : registry.projections()) {
    check(projection->table(), no_generation, " of no generation");
    for (const auto table : projection->side_tables()) {
      check(table, no_generation, " of no generation");
    }
    check(projection->table(),
          "NOT EXISTS (SELECT 1 FROM projection_versions AS v WHERE v.space = d.space"
          " AND v.name = d.name AND v.generation = d.generation AND v.kind IN (" + kinds +
              ") AND v.id = d.id)"
          " AND EXISTS (SELECT 1 FROM projection_generations AS g WHERE g.space = d.space"
          " AND g.name = d.name AND g.generation = d.generation AND g.state <> 'dropping')",
          " without a version");
  }
}

void check_count(storage::Transaction& transaction, std::string_view space,
                 const Report& report) {
  auto select = transaction.prepare(
      "SELECT projections, last_generation, (SELECT count(*) FROM projections AS p"
      " WHERE p.space = s.space), (SELECT coalesce(max(g.generation), 0)"
      " FROM projection_generations AS g WHERE g.space = s.space)"
      " FROM spaces AS s WHERE s.space = $1");
  select.bind(space);
  if (!select.step()) return;
  if (select.get<Sequence>(0) == select.get<Sequence>(2) &&
      select.get<Sequence>(1) >= select.get<Sequence>(3)) {
    return;
  }
  report({.check = "space.counts",
          .space = std::string(space),
          .detail = "the space counts other projections, or generations of them, than it has"});
}

}  // namespace

void verify_projections(storage::Transaction& transaction, const Registry& registry,
                        std::string_view space, std::string_view only, const Report& report) {
  const Sequence end = tail(transaction, space).seq;
  for (const Generation& generation : all_generations(transaction, space)) {
    if (generation.state == GenerationState::dropping) continue;
    if (!only.empty() && only != generation.projection) continue;
    if (generation.type.empty()) {
      report({.check = "projection.orphan",
              .space = std::string(space),
              .detail = "projection " + generation.projection +
                        " has a generation, yet is not declared"});
      continue;
    }
    if (!registry.knows_projection(generation.type)) continue;  // for who knows its rules
    GenerationCheck(transaction, registry, space, generation, end, report).run();
  }
  check_orphans(transaction, registry, space, only, report);
  check_count(transaction, space, report);
}

}  // namespace holdfast::journal
