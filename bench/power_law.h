#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include <holdfast/space/store.h>

namespace holdfast::bench {

/// A seeded graph whose degrees follow a power law, the hubs anywhere among the nodes.
struct PowerLaw {
  std::size_t nodes = 0;
  struct Link {
    std::uint32_t source;
    std::uint32_t target;
    std::uint32_t relation;
    auto operator<=>(const Link&) const = default;
  };
  std::vector<Link> links;  ///< distinct, no loops, in random order
};
PowerLaw make_power_law(std::size_t nodes, std::size_t links, std::uint64_t seed);

/// Makes a database with an entity for each node; their ids are in the order of the nodes.
std::vector<EntityId> write_nodes(const std::filesystem::path& path, std::size_t nodes);
void write_links(const Space& space, const std::vector<EntityId>& ids,
                 std::span<const PowerLaw::Link> links);

/// The floor in memory: offsets and targets, nodes as they are numbered here.
class BareCsr {
 public:
  explicit BareCsr(const PowerLaw& graph);
  /// How many nodes are within so many hops of the start.
  std::size_t reach(std::uint32_t start, unsigned hops);

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> stamps_;
  std::vector<std::uint32_t> queue_;
  std::uint32_t now_ = 0;
};

}  // namespace holdfast::bench
