#pragma once

#include <string>
#include <vector>

#include <holdfast/space/plan.h>

#include "suites/support.h"

namespace holdfast::test {

/// How the steps of a plan ended, by name.
inline std::vector<std::string> outcomes(const PlanResult& result) {
  std::vector<std::string> names;
  for (const StepResult& step : result.steps) names.emplace_back(to_string(step.outcome));
  return names;
}

inline Entity person(const std::string& name) {
  Entity entity;
  entity.kind = "person";
  entity.name = name;
  return entity;
}

/// Three people, two of whom know each other, and a note about the first.
struct People {
  People() {
    ada = store.add_entity("Ada");
    pass_time(store);
    bob = store.add_entity("Bob");
    pass_time(store);
    eve = store.add_entity("Eve");
    pass_time(store);
    knows = store.add_edge(ada.id, "knows", bob.id);
    note = store.add_note("writes programs", ada.id);
    pass_time(store);
  }
  const Space& space() const { return *store.space; }

  TestStore store;
  Entity ada, bob, eve;
  Edge knows;
  Note note;
};

}  // namespace holdfast::test
