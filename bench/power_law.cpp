#include "power_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_set>

#include "sample.h"
#include "support.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;
constexpr const char* kRelations[] = {"cites", "knows", "likes", "uses"};

double unit(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

}  // namespace

PowerLaw make_power_law(std::size_t nodes, std::size_t links, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint32_t> node_of_rank(nodes);
  std::iota(node_of_rank.begin(), node_of_rank.end(), 0U);
  std::shuffle(node_of_rank.begin(), node_of_rank.end(), engine);
  // The weight of the node of rank r is r^-0.7, so degrees fall off with an exponent of 2.4.
  const auto draw = [&] {
    const double place = std::pow(unit(engine), 1 / 0.3) * static_cast<double>(nodes);
    return node_of_rank[std::min(nodes - 1, static_cast<std::size_t>(place))];
  };
  PowerLaw graph{.nodes = nodes, .links = {}};
  std::unordered_set<std::uint64_t> seen;
  while (graph.links.size() < links) {
    const PowerLaw::Link link{.source = draw(),
                              .target = draw(),
                              .relation = static_cast<std::uint32_t>(engine() % 4)};
    const std::uint64_t pair = link.source * std::uint64_t{nodes} + link.target;
    const std::uint64_t key = pair * 4 + link.relation;
    if (link.source != link.target && seen.insert(key).second) graph.links.push_back(link);
  }
  return graph;
}

std::vector<EntityId> write_nodes(const std::filesystem::path& path, std::size_t nodes) {
  std::vector<EntityId> ids;
  for (const Entity& entity : make_database(path, nodes)) ids.push_back(entity.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

void write_links(const Space& space, const std::vector<EntityId>& ids,
                 std::span<const PowerLaw::Link> links) {
  for (std::size_t first = 0; first < links.size(); first += kRowsAtOnce) {
    space.write([&](journal::Appender& appender) {
      for (const PowerLaw::Link& link :
           links.subspan(first, std::min(kRowsAtOnce, links.size() - first))) {
        Edge edge;
        edge.id = {space.access().environment.ids.next()};
        edge.source = ids[link.source];
        edge.relation = kRelations[link.relation];
        edge.target = ids[link.target];
        edge.created_at = appender.at();
        edge.revision = first_revision(edge.created_at);
        require(graph::EdgeStore::insert_if_absent(appender, edge).applied(),
                "an edge was refused");
      }
    });
  }
}

BareCsr::BareCsr(const PowerLaw& graph)
    : offsets_(graph.nodes + 1, 0), targets_(graph.links.size()), stamps_(graph.nodes, 0),
      queue_(graph.nodes) {
  for (const PowerLaw::Link& link : graph.links) ++offsets_[link.source + 1];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const PowerLaw::Link& link : graph.links) targets_[next[link.source]++] = link.target;
}

std::size_t BareCsr::reach(std::uint32_t start, unsigned hops) {
  ++now_;
  stamps_[start] = now_;
  queue_[0] = start;
  std::size_t begin = 0;
  std::size_t end = 1;
  for (unsigned hop = 0; hop < hops; ++hop) {
    std::size_t last = end;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t node = queue_[i];
      for (std::uint32_t at = offsets_[node]; at < offsets_[node + 1]; ++at) {
        const std::uint32_t target = targets_[at];
        if (stamps_[target] == now_) continue;
        stamps_[target] = now_;
        queue_[last++] = target;
      }
    }
    begin = end;
    end = last;
  }
  return end - 1;
}

}  // namespace holdfast::bench
