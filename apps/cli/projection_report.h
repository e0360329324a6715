#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <holdfast/graph/key.h>
#include <holdfast/journal/projection_status.h>
#include <holdfast/journal/rebuild.h>

#include "failure.h"
#include "interrupt.h"
#include "progress.h"

/// What is derived from rows, and how building it went, for programs and for people.
namespace holdfast::cli {

/// {"name","kind","path"}
std::string to_json(const KeyDeclaration& key);
/// "/email of kind person"
std::string describe(const KeyDeclaration& key);
std::string to_json(const journal::DeclaredProjection& projection);
std::string to_json(const journal::ProjectionStatus& status);
std::string describe(const journal::ProjectionStatus& status);
/// {"owner","fencing","expires_at"}, or null.
std::string lease_json(const std::optional<storage::Lease>& lease);
/// {"kind","id","clashes_with","detail"}
std::string problem_json(const journal::DerivedProblem& problem);
/// {"end","generation","was_resumed","walked","outcomes","dropped","problems_total","waiting",
/// "problems"}
std::string to_json(const journal::RebuildReport& report);
/// How building it went, below what the command says of it.
std::string describe(const journal::RebuildReport& report);
/// The failure of something that could not be built beside what is there, with every row that was
/// in the way; `outcome` is one of programs'.
Failure refusal(const std::string& message, const std::string& projection,
                const journal::RebuildReport& report, const char* outcome = "refused");
/// What to do about a rebuild that ended incomplete, as a sentence without its end.
std::string way_to_complete(const journal::RebuildReport& report);

/// Shows how far a rebuild is, and stops it between two transactions at a signal.
class RebuildWatch {
 public:
  explicit RebuildWatch(bool is_for_program) : is_for_program_(is_for_program) {}

  /// Refers to this, which must outlive the rebuild.
  journal::RebuildControl control();
  /// Ends the bar.
  void finish() { progress_.reset(); }
  /// Ends the command as stopped by the signal; `way_on` says how to go on.
  [[noreturn]] void stop(const std::string& way_on) const;

 private:
  bool is_for_program_;
  Interrupt interrupt_;
  std::optional<Progress> progress_;
  journal::RebuildProgress last_;
};

}  // namespace holdfast::cli
