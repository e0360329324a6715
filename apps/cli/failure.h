#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::cli {

/// The exit codes that scripts may rely on. A command stopped by a signal ends with 128 plus the
/// signal's number instead, as shells do: 130 for Ctrl-C.
enum class Exit {
  ok = 0,
  bug = 1,
  usage = 2,
  not_found = 3,    ///< or it was there and is gone
  conflict = 4,
  invalid_input = 5,
  unavailable = 6,  ///< busy, full, unsupported or unavailable
  corrupt = 7,
  outcome_unknown = 8,
};

/// Why a command did not end with 0, for programs and for people.
struct Failure {
  int exit_code = 1;
  std::string code;
  std::string message;  ///< nothing is reported when it is empty
  std::vector<std::pair<std::string, std::string>> fields{};  ///< name and JSON text
  std::string details{};  ///< what people see below the message
};

/// A command's own refusal: an answer of the store that is not the one that was asked for.
class Refused : public std::exception {
 public:
  explicit Refused(Failure failure) : failure_(std::move(failure)) {}
  const char* what() const noexcept override { return failure_.message.c_str(); }
  const Failure& failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

/// Stopped by a signal that was asked for; `message` says what is done and how to go on.
[[noreturn]] void stop_for(int signal, const std::string& message,
                           std::vector<std::pair<std::string, std::string>> fields = {});
/// The command line itself is wrong.
[[noreturn]] void refuse_usage(const std::string& message);

/// What any exception of a command means; everything unforeseen is a bug.
Failure describe(const std::exception& error);
/// {"error":{"code","message",...}}
std::string to_json(const Failure& failure);
/// Writes the failure to stderr.
void report(const Failure& failure, bool json);

}  // namespace holdfast::cli
