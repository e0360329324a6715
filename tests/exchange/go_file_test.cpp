// The whole Gene Ontology, from the file that Debian's r-bioc-go.db holds.
#include <holdfast/exchange/go.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <unordered_map>
#include <unordered_set>

#include <holdfast/core/json_fields.h>
#include <holdfast/storage/foreign_file.h>

#include "support.h"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;
using storage::ForeignFile;

/// Where the file is: HOLDFAST_GO_FILE, which ./dev sets, or where the package puts it. Empty, and
/// said so in a way that CTest takes for a test that was skipped, when it is nowhere.
fs::path find_go() {
  const char* const named = std::getenv("HOLDFAST_GO_FILE");
  for (const fs::path path : {named == nullptr ? "" : named,
                              "/usr/lib/R/site-library/GO.db/extdata/GO.sqlite"}) {
    if (!path.empty() && fs::exists(path)) return path;
  }
  std::cout << "SKIPPED: no GO.sqlite; install r-bioc-go.db or name it in HOLDFAST_GO_FILE\n";
  return {};
}

/// The figures below are of this release; of another only what the file itself says is known.
bool is_known_release(const fs::path& path) {
  ForeignFile file(path);
  auto rows = file.rows("metadata", {"name", "value"});
  while (rows.next()) {
    if (rows.text(0) == "GOSOURCEDATE") return rows.text(1) == "2022-07-01";
  }
  return false;
}

struct WholeGo {
  explicit WholeGo(const fs::path& path) : file(path) {}
  exchange::GoReport import() {
    return exchange::import_go(store.store->space("main", exchange::kGoActor), file);
  }
  fs::path file;
  TestStore store{73};
};

/// Every entity that a term leads to by edges of any relation and number.
class Ancestors {
 public:
  explicit Ancestors(const Space& space) : space_(space) {}

  std::unordered_set<EntityId> of(EntityId term) {
    std::unordered_set<EntityId> found;
    std::vector<EntityId> queue = {term};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const EntityId parent : parents(queue[at])) {
        if (found.insert(parent).second) queue.push_back(parent);
      }
    }
    return found;
  }

 private:
  const std::vector<EntityId>& parents(EntityId term) {
    const auto [known, is_new] = parents_.try_emplace(term);
    if (is_new) {
      EdgeFilter filter;
      filter.source = term;
      for (const Edge& edge : space_.edges().list(filter, {.limit = 10'000, .cursor = {}}).items) {
        known->second.push_back(edge.target);
      }
    }
    return known->second;
  }

  const Space& space_;
  std::unordered_map<EntityId, std::vector<EntityId>> parents_;
};

/// An ancestor and a term that has it.
using Pair = std::pair<EntityId, EntityId>;

/// Entities by the number that the file gives them.
std::unordered_map<std::int64_t, EntityId> entities_by_number(const Space& space,
                                                              const fs::path& path) {
  std::unordered_map<std::string, EntityId> by_go_id;
  EntityFilter filter;
  filter.kind = "go_term";
  PageRequest page{.limit = 10'000, .cursor = {}};
  do {
    const auto found = space.entities().list(filter, page);
    for (const Entity& entity : found.items) {
      by_go_id.emplace(core::string_field(entity.properties.members().front()), entity.id);
    }
    page.cursor = found.next.value_or("");
  } while (!page.cursor.empty());
  std::unordered_map<std::int64_t, EntityId> by_number;
  ForeignFile file(path);
  auto rows = file.rows("go_term", {"_id", "go_id"});
  while (rows.next()) by_number.emplace(rows.integer(0), by_go_id.at(rows.text(1)));
  return by_number;
}

std::vector<Pair> closure_of(const Space& space, const fs::path& path) {
  const auto entities = entities_by_number(space, path);
  std::vector<Pair> closure;
  ForeignFile file(path);
  for (const char* table : {"go_bp_offspring", "go_cc_offspring", "go_mf_offspring"}) {
    auto rows = file.rows(table, {"_id", "_offspring_id"});
    while (rows.next()) {
      closure.emplace_back(entities.at(rows.integer(0)), entities.at(rows.integer(1)));
    }
  }
  std::sort(closure.begin(), closure.end());
  return closure;
}

}  // namespace

TEST_CASE("of the whole GO file every term and every parent comes in, once", "[exchange][slow]") {
  const fs::path path = find_go();
  if (path.empty()) return;
  WholeGo f(path);
  const auto report = f.import();
  CHECK(report.entities.created == report.terms + report.obsolete_terms);
  CHECK(report.edges.created == report.parents - report.repeated_parents);
  CHECK(report.kept_total == report.repeated_synonyms + report.repeated_parents);
  EntityFilter terms;
  terms.kind = "go_term";
  CHECK(f.store.space->entities().count(terms) == report.terms);
  CHECK(f.store.space->edges().count({}) == report.edges.created);
  if (is_known_release(path)) {
    CHECK(report.terms == 43'559);
    CHECK(report.obsolete_terms == 3'910);
    CHECK(report.synonyms == 121'434);
    CHECK(report.parents == 85'716);
    CHECK(report.edges.created == 85'716);
  }
  CHECK(f.store.store->verify().is_clean());
  CHECK(f.import().changed_nothing());
}

TEST_CASE("every GO term's ancestors are those of the file's own closure", "[exchange][slow]") {
  const fs::path path = find_go();
  if (path.empty()) return;
  WholeGo f(path);
  f.import();
  const auto closure = closure_of(*f.store.space, path);
  if (is_known_release(path)) CHECK(closure.size() == 791'949);
  Ancestors ancestors(*f.store.space);
  std::vector<Pair> found;
  for (const auto& [number, term] : entities_by_number(*f.store.space, path)) {
    for (const EntityId ancestor : ancestors.of(term)) found.emplace_back(ancestor, term);
  }
  std::sort(found.begin(), found.end());
  CHECK(found.size() == closure.size());
  CHECK((found == closure));
}

}  // namespace holdfast::test
