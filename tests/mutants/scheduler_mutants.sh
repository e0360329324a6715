# shellcheck shell=bash disable=SC2016
# The same for schedule and scheduler.

scheduler=holdfast_scheduler_tests
suites=holdfast_suites_tests

mutant 'a step does not ask for its lease' schedule/claims.cpp \
  '  if (!storage::holds_lease(transaction, claim.lease)) return false;
  static const std::string sql =
      "UPDATE attempts SET state = '"'invoking'"'' \
  '  static const std::string sql =
      "UPDATE attempts SET state = '"'invoking'"'' "$suites" '[claims]'
mutant 'an outcome does not ask for its lease' schedule/claims.cpp \
  '  if (!storage::holds_lease(transaction, claim.lease)) return false;
  static const std::string sql =
      "UPDATE attempts SET state = $5' \
  '  static const std::string sql =
      "UPDATE attempts SET state = $5' "$suites" '[claims]'
mutant 'an end does not ask for its lease' schedule/claims.cpp \
  '  if (!storage::holds_lease(transaction, claim.lease)) return false;
  if (!is_exactly' '  if (!is_exactly' "$suites" '[claims]'
mutant 'a moved trigger is overwritten' scheduler/decision.cpp \
  '         read.trigger_at == attempt.armed_at;' '         true;' "$scheduler" '[edit]'
mutant 'a cancelled event is armed again' scheduler/decision.cpp \
  'read.status == EventStatus::pending &&' 'true &&' "$scheduler" '[edit]'
mutant 'what may have happened is tried again' scheduler/carrier.cpp \
  '.again = effect == Effect::not_committed ? Again::later : Again::no};' \
  '.again = Again::later};' "$scheduler" '*'
mutant 'tries have no end' scheduler/decision.cpp \
  ' && attempt.tries < read.max_attempts' '' "$scheduler" '*'
mutant 'a lost worker is taken to have done nothing' scheduler/carrier.cpp \
  'if (attempt.is_idempotent) lost.again = Again::later;' 'lost.again = Again::later;' \
  "$scheduler" '[recovery]'
mutant 'a refused plan leaves its first steps' scheduler/plan_action.cpp \
  '      effect.undo();
      return failed(why_refused' '      effect.keep();
      return failed(why_refused' "$scheduler" '*'
mutant 'an anchor is the trigger before' scheduler/decision.cpp \
  'read.anchor.value_or(read.trigger_text), zone);' 'read.trigger_text, zone);' \
  "$scheduler" '*'

