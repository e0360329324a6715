#pragma once

#include <string>
#include <vector>

#include <holdfast/space/plan.h>

namespace holdfast {

struct PlanDocument {
  std::vector<PlanStep> steps;
  std::optional<ReadToken> read_token{};
};
/// Reads a plan's document. Throws InvalidArgument naming step, op and field.
PlanDocument read_plan(const JsonObject& document, core::IdSource& ids);

/// The steps as one text in which any two plans differ that ask for different things.
std::string to_json(const std::vector<PlanStep>& steps);

}  // namespace holdfast
