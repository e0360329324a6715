#include <fcntl.h>
#include <signal.h>

#include <exception>

#include <spdlog/logger.h>

#include <holdfast/core/log.h>

#include "command_line.h"
#include "failure.h"
#include "session.h"

namespace holdfast::cli {
namespace {

/// A closed standard stream is given back as one that fails, lest the database's file become it.
void occupy_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

int run(int argc, char** argv) {
  occupy_standard_streams();
  // A reader that went away is noticed when the answer is written.
  signal(SIGPIPE, SIG_IGN);
  // A limit on a file's size is an error of the write that meets it.
  signal(SIGXFSZ, SIG_IGN);
  bool json = asks_for_json(argc, argv);
  try {
    const CommandLine line = parse_command_line(argc, argv);
    json = line.options.global.json;
    if (json) core::log()->set_level(spdlog::level::off);
    Session session(line.options.global);
    if (line.command == nullptr) {
      session.print(line.text);
    } else {
      line.command(session, line.options);
    }
    return static_cast<int>(Exit::ok);
  } catch (const std::exception& error) {
    const Failure failure = describe(error);
    report(failure, json);
    return failure.exit_code;
  }
}

}  // namespace
}  // namespace holdfast::cli

int main(int argc, char** argv) { return holdfast::cli::run(argc, argv); }
