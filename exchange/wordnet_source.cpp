#include "wordnet_source.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include <holdfast/core/json_text.h>

#include "wordnet_reader.h"
#include "wordnet_totals.h"

namespace holdfast::exchange {
namespace {

/// Part of the file format: imports made by different versions must agree.
/// 2f0c9a5e-7f43-5d0b-8c1e-776f72646e74
constexpr Uuid kWordNetNamespace{{0x2f, 0x0c, 0x9a, 0x5e, 0x7f, 0x43, 0x5d, 0x0b, 0x8c, 0x1e,
                                  0x77, 0x6f, 0x72, 0x64, 0x6e, 0x74}};

Uuid id_of(std::string_view what, std::string_view key) {
  return uuid_v5(kWordNetNamespace, "3.0:" + std::string(what) + ":" + std::string(key));
}

std::string string_array(const std::vector<std::string>& strings) {
  std::string json = "[";
  for (const std::string& text : strings) {
    if (json.size() > 1) json += ',';
    core::append_json_string(json, text);
  }
  return json + "]";
}

Entity entity_of(const Synset& synset) {
  Entity entity;
  entity.id = {id_of("synset", synset.key())};
  entity.kind = "synset";
  entity.name = synset.words.front();
  core::JsonWriter properties;
  properties.string("part_of_speech", synset.part_of_speech)
      .string("lexical_domain", synset.lexical_domain)
      .raw("words", string_array(synset.words))
      .string("synset", synset.key());
  entity.properties = JsonObject::trusted(properties.finish());
  return entity;
}

Note gloss_of(const Synset& synset, EntityId entity) {
  Note note;
  note.id = {id_of("gloss", synset.key())};
  note.kind = "gloss";
  note.about = entity;
  note.content = synset.gloss;
  return note;
}

/// One edge while its pointers, from both ends, are being joined.
struct Draft {
  std::string relation;
  std::size_t source = 0;  ///< indexes of entities
  std::size_t target = 0;
  std::vector<WordPair> pairs;
};

class Builder {
 public:
  void add(const Synset& synset) {
    index_.emplace(synset.key(), rows_.entities.size());
    rows_.entities.push_back(entity_of(synset));
    rows_.notes.push_back(gloss_of(synset, rows_.entities.back().id));
    words_.push_back(synset.words);
    for (const PointerGroup& group : grouped_pointers(synset)) {
      relations_.emplace(group.relation, group.symmetric);
      groups_.push_back({rows_.entities.size() - 1, group});
    }
    rows_.pointers += synset.pointers.size();
  }

  WordNetRows finish() {
    rows_.distinct_triples = groups_.size();
    for (const auto& [source, group] : groups_) join(source, group);
    for (Draft& draft : drafts_) rows_.edges.push_back(edge_of(draft));
    for (const auto& [name, symmetric] : relations_) {
      Relation relation;
      relation.relation = name;
      relation.symmetric = symmetric;
      relation.loops = name == "derivationally related";
      rows_.relations.push_back(std::move(relation));
    }
    return std::move(rows_);
  }

 private:
  void join(std::size_t source, const PointerGroup& group) {
    std::size_t target = index_.at(group.target_key);
    bool turned = false;
    if (group.symmetric && rows_.entities[target].id < rows_.entities[source].id) {
      std::swap(source, target);
      turned = true;
    }
    const std::string key = group.relation + "\n" + to_string(rows_.entities[source].id) + "\n" +
                            to_string(rows_.entities[target].id);
    const auto [found, is_new] = draft_of_.emplace(key, drafts_.size());
    if (is_new) drafts_.push_back({group.relation, source, target, {}});
    auto& pairs = drafts_[found->second].pairs;
    for (WordPair pair : group.word_pairs) {
      if (turned) std::swap(pair.source, pair.target);
      const bool known = std::any_of(pairs.begin(), pairs.end(), [&](const WordPair& other) {
        return other.source == pair.source && other.target == pair.target;
      });
      if (!known) pairs.push_back(pair);
    }
  }

  Edge edge_of(Draft& draft) {
    Edge edge;
    edge.source = rows_.entities[draft.source].id;
    edge.relation = draft.relation;
    edge.target = rows_.entities[draft.target].id;
    edge.id = {id_of("edge", to_string(edge.source) + "\n" + edge.relation + "\n" +
                                 to_string(edge.target))};
    if (edge.source == edge.target) ++rows_.self_loops;
    if (draft.pairs.empty()) return edge;
    std::sort(draft.pairs.begin(), draft.pairs.end(), [](const WordPair& a, const WordPair& b) {
      return std::pair(a.source, a.target) < std::pair(b.source, b.target);
    });
    std::string pairs = "[";
    for (const WordPair& pair : draft.pairs) {
      if (pairs.size() > 1) pairs += ',';
      pairs += string_array({words_[draft.source][pair.source - 1],
                             words_[draft.target][pair.target - 1]});
    }
    core::JsonWriter properties;
    properties.raw("words", pairs + "]");
    edge.properties = JsonObject::trusted(properties.finish());
    return edge;
  }

  WordNetRows rows_;
  std::unordered_map<std::string, std::size_t> index_;  ///< by synset key
  std::vector<std::vector<std::string>> words_;
  std::vector<std::pair<std::size_t, PointerGroup>> groups_;
  std::map<std::string, bool> relations_;  ///< name to symmetric
  std::vector<Draft> drafts_;
  std::unordered_map<std::string, std::size_t> draft_of_;
};

}  // namespace

WordNetRows read_wordnet(const std::filesystem::path& directory) {
  // Checks what a reader of one line at a time cannot: that every pointer's target is there.
  count_wordnet(directory);
  Builder builder;
  WordNetReader reader(directory);
  while (const auto synset = reader.next()) builder.add(*synset);
  return builder.finish();
}

}  // namespace holdfast::exchange
