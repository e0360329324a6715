#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// Counts the situations that a random workload got into. One that never occurred was not tested,
/// whatever the test says: a workload is only as good as what it reaches.
class Marks {
 public:
  void hit(std::string_view name) { ++counts_[std::string(name)]; }
  std::uint64_t count(const std::string& name) const {
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  std::vector<std::string> not_reached(const std::vector<std::string>& wanted) const {
    std::vector<std::string> absent;
    for (const std::string& name : wanted) {
      if (count(name) == 0) absent.push_back(name);
    }
    return absent;
  }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace holdfast::test
