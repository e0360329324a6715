#pragma once

#include <functional>
#include <string>
#include <vector>

#include <holdfast/space/store.h>

#include "session.h"

namespace holdfast::cli {

/// Runs verify with progress on stderr; `look_up` is called now and then and may throw to stop.
journal::VerifyReport verify_store(Store& store, bool is_for_program,
                                   const std::function<void()>& look_up = {});

std::string findings_json(const std::vector<journal::Finding>& findings);
std::string findings_text(const std::vector<journal::Finding>& findings);
std::string to_json(const journal::VerifyReport& report);
std::string describe(const journal::VerifyReport& report);
/// Ends the command as corrupt, with advice, unless the report is clean.
void refuse_findings(const journal::VerifyReport& report, const std::string& advice);

}  // namespace holdfast::cli
