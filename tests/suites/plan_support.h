#pragma once

#include <string>
#include <vector>

#include <holdfast/space/plan.h>

namespace holdfast::test {

/// How the steps of a plan ended, by name.
inline std::vector<std::string> outcomes(const PlanResult& result) {
  std::vector<std::string> names;
  for (const StepResult& step : result.steps) names.emplace_back(to_string(step.outcome));
  return names;
}

}  // namespace holdfast::test
