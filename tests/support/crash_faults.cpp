#include "support/crash_faults.h"

namespace holdfast::test {
namespace {

bool suits(FaultKind kind, Operation operation) {
  switch (kind) {
    case FaultKind::crash: return operation != Operation::read;
    case FaultKind::torn_write:
    case FaultKind::disk_full: return operation == Operation::write;
    case FaultKind::write_error:
      return operation == Operation::write || operation == Operation::truncate ||
             operation == Operation::remove;
    case FaultKind::sync_error: return operation == Operation::sync;
    case FaultKind::short_read:
    case FaultKind::read_error: return operation == Operation::read;
  }
  return false;
}

}  // namespace

std::optional<FaultKind> FaultPlan::strike(Operation operation, std::string_view name) {
  std::optional<FaultKind> kind;
  for (Armed& armed : armed_) {
    const Fault& fault = armed.fault;
    if (!suits(fault.kind, operation) || fault.on.value_or(operation) != operation) continue;
    if (!name.ends_with(fault.suffix)) continue;
    ++armed.seen;
    const bool strikes = armed.seen == fault.at || (fault.lasting && armed.seen > fault.at);
    if (strikes && !kind) kind = fault.kind;
  }
  if (kind) ++struck_;
  return kind;
}

}  // namespace holdfast::test
