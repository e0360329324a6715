#include "go_source.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>
#include <holdfast/graph/relation_store.h>
#include <holdfast/storage/foreign_file.h>

namespace holdfast::exchange {
namespace {

using storage::ForeignRows;

/// Part of the file format: imports made by different versions must agree.
/// 8b2f41d7-0c6e-5a93-b1f4-67656e652d6f
constexpr Uuid kGoNamespace{{0x8b, 0x2f, 0x41, 0xd7, 0x0c, 0x6e, 0x5a, 0x93, 0xb1, 0xf4, 0x67,
                             0x65, 0x6e, 0x65, 0x2d, 0x6f}};

constexpr std::array kParentTables{"go_bp_parents", "go_cc_parents", "go_mf_parents"};

EntityId id_of_term(std::string_view go_id) {
  return {uuid_v5(kGoNamespace, "go:" + std::string(go_id))};
}

EdgeId id_of_edge(const Edge& edge) {
  return {uuid_v5(kGoNamespace, "edge:" + to_string(edge.source) + "\n" + edge.relation + "\n" +
                                    to_string(edge.target))};
}

std::string string_array(const std::vector<std::string>& strings) {
  std::string json = "[";
  for (const std::string& text : strings) {
    if (json.size() > 1) json += ',';
    core::append_json_string(json, text);
  }
  return json + "]";
}

/// One term while its synonyms are being gathered.
struct Term {
  std::string place;  ///< in the source, for errors
  bool is_obsolete = false;
  std::string go_id;
  std::string name;
  std::string ontology;
  std::optional<std::string> definition;
  std::vector<std::string> secondary_ids;
  std::vector<std::string> synonyms;
};

/// Puts a row in stored form; what it breaks is named by its place in the source.
template <class Make>
void at_place(const std::string& place, Make make) {
  try {
    make();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(place + ": " + error.field(), error.value(), error.rule());
  }
}

Entity entity_of(const Term& term, const std::string& ontology_name) {
  Entity entity;
  entity.id = id_of_term(term.go_id);
  entity.kind = term.is_obsolete ? "go_obsolete_term" : "go_term";
  entity.name = term.name;
  core::JsonWriter properties;
  properties.string("go_id", term.go_id)
      .string("ontology", term.ontology)
      .string("ontology_name", ontology_name);
  if (term.definition) properties.string("definition", *term.definition);
  if (!term.secondary_ids.empty()) {
    properties.raw("secondary_ids", string_array(term.secondary_ids));
  }
  if (!term.synonyms.empty()) properties.raw("synonyms", string_array(term.synonyms));
  at_place(term.place, [&] {
    entity.properties = JsonObject::parse("properties", properties.finish());
    graph::EntityStore::normalise(entity);
  });
  return entity;
}

class Builder {
 public:
  Builder(const std::filesystem::path& file, GoReport& report) : file_(file), report_(report) {}

  GoRows build() {
    read_ontologies();
    read_terms();
    read_obsolete_terms();
    read_synonyms();
    for (const Term& term : terms_) {
      rows_.entities.push_back(entity_of(term, ontologies_.at(term.ontology)));
    }
    for (const char* table : kParentTables) read_parents(table);
    for (const std::string& name : relations_) {
      Relation relation;
      relation.relation = name;
      graph::RelationStore::normalise(relation);
      rows_.relations.push_back(std::move(relation));
    }
    return std::move(rows_);
  }

 private:
  void read_ontologies() {
    auto rows = file_.rows("go_ontology", {"ontology", "term_type"});
    while (rows.next()) ontologies_.emplace(rows.text(0), rows.text(1));
  }

  void read_terms() {
    auto rows = file_.rows("go_term", {"go_id", "term", "ontology", "definition", "_id"});
    for (; rows.next(); ++report_.terms) {
      const std::int64_t key = rows.integer(4);
      if (!term_of_.emplace(key, terms_.size()).second) {
        throw InvalidArgument(rows.place(4), std::to_string(key), "be in the table once");
      }
      add_term(rows, false);
    }
  }

  /// They have no number: nothing else in the file refers to them.
  void read_obsolete_terms() {
    auto rows = file_.rows("go_obsolete", {"go_id", "term", "ontology", "definition"});
    for (; rows.next(); ++report_.obsolete_terms) add_term(rows, true);
  }

  void add_term(const ForeignRows& rows, bool is_obsolete) {
    Term term;
    term.place = rows.place();
    term.is_obsolete = is_obsolete;
    term.go_id = rows.text(0);
    term.name = rows.text(1);
    term.ontology = rows.text(2);
    term.definition = rows.text_or_null(3);
    if (term.go_id.empty()) throw InvalidArgument(rows.place(0), "", "not be empty");
    const auto [before, is_new] = place_of_.emplace(term.go_id, term.place);
    if (!is_new) {
      throw InvalidArgument(rows.place(0), term.go_id, "be one term's; " + before->second +
                                                           " has it too");
    }
    if (ontologies_.count(term.ontology) == 0) {
      throw InvalidArgument(rows.place(2), term.ontology, "be in the table go_ontology");
    }
    terms_.push_back(std::move(term));
  }

  std::size_t find_term(const ForeignRows& rows, int column) const {
    const std::int64_t key = rows.integer(column);
    const auto found = term_of_.find(key);
    if (found != term_of_.end()) return found->second;
    throw InvalidArgument(rows.place(column), std::to_string(key),
                          "be the _id of a row of go_term");
  }

  void read_synonyms() {
    auto rows = file_.rows("go_synonym", {"_id", "synonym", "secondary", "like_go_id"});
    std::unordered_set<std::string> known;
    for (; rows.next(); ++report_.synonyms) {
      Term& term = terms_[find_term(rows, 0)];
      const std::string synonym = rows.text(1);
      const auto secondary = rows.text_or_null(2);
      const bool is_id = rows.integer_or_null(3).value_or(0) != 0;
      const auto take = [&](const std::string& text, std::vector<std::string>& list) {
        const bool is_new = known.insert(term.go_id + "\n" + text).second;
        if (is_new) list.push_back(text);
        return is_new;
      };
      bool is_new = take(synonym, is_id ? term.secondary_ids : term.synonyms);
      if (secondary && *secondary != synonym) {
        is_new = take(*secondary, term.secondary_ids) || is_new;
      }
      if (is_new) continue;
      ++report_.repeated_synonyms;
      repeat(rows, "is a repeated synonym of " + term.go_id + ": " + synonym);
    }
  }

  void read_parents(const char* table) {
    auto rows = file_.rows(table, {"_id", "_parent_id", "relationship_type"});
    for (; rows.next(); ++report_.parents) {
      const std::size_t child = find_term(rows, 0);
      const std::size_t parent = find_term(rows, 1);
      if (child == parent) {
        throw InvalidArgument(rows.place(1), terms_[parent].go_id,
                              "be another term than the child");
      }
      Edge edge;
      edge.source = rows_.entities[child].id;
      edge.target = rows_.entities[parent].id;
      edge.relation = rows.text(2);
      at_place(rows.place(), [&] { graph::EdgeStore::normalise(edge); });
      edge.id = id_of_edge(edge);
      if (!edges_.insert(edge.id).second) {
        ++report_.repeated_parents;
        repeat(rows, "repeats " + terms_[child].go_id + " -" + edge.relation + "-> " +
                         terms_[parent].go_id);
        continue;
      }
      relations_.insert(edge.relation);
      rows_.edges.push_back(std::move(edge));
    }
  }

  void repeat(const ForeignRows& rows, std::string why) {
    rows_.repeats.push_back({"row", rows.place(), std::move(why)});
  }

  storage::ForeignFile file_;
  GoReport& report_;
  GoRows rows_;
  std::map<std::string, std::string> ontologies_;  ///< label to full name
  std::vector<Term> terms_;
  std::unordered_map<std::int64_t, std::size_t> term_of_;  ///< by _id
  std::unordered_map<std::string, std::string> place_of_;  ///< by GO id
  std::unordered_set<EdgeId> edges_;
  std::set<std::string> relations_;
};

}  // namespace

GoRows read_go(const std::filesystem::path& file, GoReport& report) {
  return Builder(file, report).build();
}

}  // namespace holdfast::exchange
