#include "expect_report.h"

#include <vector>

#include "failure.h"
#include "text.h"

namespace holdfast::cli {

void print_with_expectations(Session& session, const std::string& answer,
                             const Transaction& reading) {
  if (!session.json()) refuse_usage("--expect is for programs: it needs --json");
  std::vector<std::string> steps;
  for (const PlanStep& step : reading.read_set()) steps.push_back(expectation_json(step));
  const std::string object = answer.substr(0, answer.size() - 1);
  session.print(object + (object.size() > 1 ? "," : "") + "\"expect\":" + json_array(steps) + "}");
}

}  // namespace holdfast::cli
