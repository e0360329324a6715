#pragma once

#include <string>

#include <holdfast/scheduler/handlers.h>

namespace holdfast::cli {

/// A handler that runs a command by /bin/sh: the occurrence comes as a JSON document on its stdin,
/// and in the environment as HOLDFAST_EVENT, HOLDFAST_OCCURRENCE and HOLDFAST_ATTEMPT. It has
/// succeeded when it ends with 0, did nothing when it ends with 75 (EX_TEMPFAIL), and otherwise
/// what it did is not known; the end of what it wrote to stderr is the error. What it leaves
/// running in the background is not waited for. Asked to stop, it gets a SIGTERM, and five seconds
/// later a SIGKILL. SIGCHLD must not be ignored.
Handler command_handler(const std::string& command);

}  // namespace holdfast::cli
