#pragma once

#include <string>

#include <holdfast/space/transaction.h>

#include "session.h"

namespace holdfast::cli {

/// Prints a JSON object with one member more, "expect": the steps by which a plan rests on what was
/// read. Ends in a usage error unless --json was given.
void print_with_expectations(Session& session, const std::string& answer,
                             const Transaction& reading);

}  // namespace holdfast::cli
