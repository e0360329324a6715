#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <holdfast/exchange/wordnet.h>

#include "exchange/wordnet_reader.h"
#include "support.h"

namespace holdfast::test {
namespace {

const std::filesystem::path kWordNet = "/usr/share/wordnet";  // Debian: wordnet-base

using Keys = std::vector<std::string>;
using Pointers = std::map<std::string, std::set<std::string>>;

/// Where the pointers of one relation lead, straight from the source files.
Pointers read_pointers(const std::string& relation) {
  Pointers pointers;
  exchange::WordNetReader reader(kWordNet);
  while (const auto synset = reader.next()) {
    for (const exchange::Pointer& pointer : synset->pointers) {
      if (pointer.relation == relation) pointers[synset->key()].insert(pointer.target_key());
    }
  }
  return pointers;
}

/// Everything above a synset, by a plain loop.
std::set<std::string> closure_by_hand(const Pointers& pointers, const std::string& key) {
  std::set<std::string> met;
  Keys waiting{key};
  while (!waiting.empty()) {
    const auto above = pointers.find(waiting.back());
    waiting.pop_back();
    if (above == pointers.end()) continue;
    for (const std::string& next : above->second) {
      if (next != key && met.insert(next).second) waiting.push_back(next);
    }
  }
  return met;
}

/// All of WordNet in a space, and the synsets' keys.
struct WordNetStore {
  WordNetStore() {
    store = open_normal();
    space = std::make_unique<Space>(store->create_space("main", exchange::kWordNetActor));
    REQUIRE(exchange::import_wordnet(*space, kWordNet).complete);
    PageRequest page{.limit = 10'000, .cursor = {}};
    for (;;) {
      const auto entities = space->entities().list({}, page);
      for (const Entity& entity : entities.items) {
        const auto key = nlohmann::json::parse(entity.properties.text())["synset"];
        ids[key.get<std::string>()] = entity.id;
        keys[entity.id] = key.get<std::string>();
      }
      if (!entities.next) break;
      page.cursor = *entities.next;
    }
  }
  std::unique_ptr<Store> open_normal() {
    StoreOptions options;
    options.database.path = dir / "wordnet.db";
    options.database.durability = storage::Durability::normal;
    return Store::open(options);
  }
  std::set<std::string> reached(const std::string& key, const TraversalOptions& options) {
    std::set<std::string> met;
    const auto traversal = space->traverse(ids.at(key), options);
    REQUIRE(traversal.complete());
    REQUIRE(traversal.answered_by == options.source);
    for (const Reached& reached : traversal.reached) met.insert(keys.at(reached.entity));
    return met;
  }

  TempDir dir;
  std::unique_ptr<Store> store;
  std::unique_ptr<Space> space;
  std::map<std::string, EntityId> ids;
  std::map<EntityId, std::string> keys;
};

TraversalOptions along(const std::string& relation, GraphSource source, unsigned hops_max) {
  TraversalOptions options;
  options.relations = {relation};
  options.hops_max = hops_max;
  options.source = source;
  return options;
}

void check_closures(WordNetStore& wordnet) {
  const Pointers hypernyms = read_pointers("hypernym");
  std::size_t pointers = 0;
  std::size_t wrong = 0;
  for (const auto& [key, above] : hypernyms) {
    pointers += above.size();
    const auto by_hand = closure_by_hand(hypernyms, key);
    for (const GraphSource source : {GraphSource::sql, GraphSource::memory}) {
      if (wordnet.reached(key, along("hypernym", source, 1000)) != by_hand) ++wrong;
    }
  }
  CHECK(pointers == 89'089);
  CHECK(wrong == 0);
}

void check_inverse(WordNetStore& wordnet) {
  for (const GraphSource source : {GraphSource::sql, GraphSource::memory}) {
    std::set<std::pair<std::string, std::string>> up;
    std::set<std::pair<std::string, std::string>> down;
    for (const auto& [key, id] : wordnet.ids) {
      for (const auto& above : wordnet.reached(key, along("hypernym", source, 1))) {
        up.emplace(key, above);
      }
      for (const auto& below : wordnet.reached(key, along("hyponym", source, 1))) {
        down.emplace(below, key);
      }
    }
    CHECK(up.size() == 89'089);
    CHECK((up == down));
  }
}

}  // namespace

// One import for both: it takes most of the time.
TEST_CASE("WordNet's hypernym closures by traversal are those of a plain loop over its files, and "
          "its 89,089 hypernyms and hyponyms are each other's inverse",
          "[wordnet][slow]") {
  WordNetStore wordnet;
  check_closures(wordnet);
  check_inverse(wordnet);
}

}  // namespace holdfast::test
