#include "wordnet_totals.h"

#include "wordnet_reader.h"

#include <holdfast/core/error.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::exchange {
namespace {

struct Place {
  char pos = 0;  // never 's': both kinds of adjective share one run of offsets
  std::uint32_t offset = 0;
  auto operator<=>(const Place&) const = default;
};

struct Node {
  Place place;
  std::size_t word_count = 0;
};

struct Link {
  Place source;
  Place target;
  std::uint16_t relation = 0;
  bool symmetric = false;
  unsigned target_word = 0;
  std::size_t line = 0;

  auto triple() const { return std::tie(source, relation, target); }
};

class Count {
 public:
  void add(const Synset& synset, std::size_t line) {
    const Place source{synset.pos == 's' ? 'a' : synset.pos, synset.offset};
    nodes_.push_back({source, synset.words.size()});
    for (const Pointer& pointer : synset.pointers) {
      symbols_.insert(pointer.symbol);
      const auto relation =
          relations_.try_emplace(pointer.relation, static_cast<std::uint16_t>(relations_.size()))
              .first->second;
      ++totals_.pointers_by_relation[pointer.relation];
      links_.push_back({source,
                        {pointer.target_pos, pointer.target_offset},
                        relation,
                        pointer.symmetric,
                        pointer.target_word,
                        line});
    }
  }

  WordNetTotals finish() {
    check_targets();
    totals_.synsets = nodes_.size();
    totals_.pointers = links_.size();
    totals_.kinds = symbols_.size();
    totals_.distinct_triples = keep_distinct();
    count_self_loops();
    for (Link& link : links_) {
      if (link.symmetric && link.target < link.source) std::swap(link.source, link.target);
    }
    totals_.folded_triples = keep_distinct();
    return std::move(totals_);
  }

 private:
  static std::string key_of(const Place& place) { return synset_key(place.pos, place.offset); }

  void check_targets() {
    const auto before = [](const Node& a, const Node& b) { return a.place < b.place; };
    std::sort(nodes_.begin(), nodes_.end(), before);
    for (const Link& link : links_) {
      const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), Node{link.target}, before);
      if (found == nodes_.end() || found->place != link.target) {
        fail(link, "pointer target", key_of(link.target), "be a synset of these files");
      }
      if (link.target_word > found->word_count) {
        fail(link, "target word", std::to_string(link.target_word),
             "be one of the " + std::to_string(found->word_count) + " words of " +
                 key_of(link.target));
      }
    }
  }

  [[noreturn]] static void fail(const Link& link, const char* field, std::string value,
                                std::string rule) {
    throw InvalidArgument(std::string(wordnet_file(link.source.pos)) + " line " +
                              std::to_string(link.line) + ": " + field,
                          std::move(value), std::move(rule));
  }

  std::size_t keep_distinct() {
    std::sort(links_.begin(), links_.end(),
              [](const Link& a, const Link& b) { return a.triple() < b.triple(); });
    links_.erase(
        std::unique(links_.begin(), links_.end(),
                    [](const Link& a, const Link& b) { return a.triple() == b.triple(); }),
        links_.end());
    return links_.size();
  }

  void count_self_loops() {
    std::map<std::uint16_t, std::string> names;
    for (const auto& [name, number] : relations_) names.emplace(number, name);
    for (const Link& link : links_) {
      if (link.source == link.target) ++totals_.self_loops[names.at(link.relation)];
    }
  }

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::set<std::string> symbols_;
  std::map<std::string, std::uint16_t> relations_;
  WordNetTotals totals_;
};

}  // namespace

WordNetTotals count_wordnet(const std::filesystem::path& directory) {
  WordNetReader reader(directory);
  Count count;
  while (const auto synset = reader.next()) count.add(*synset, reader.line());
  return count.finish();
}

}  // namespace holdfast::exchange
