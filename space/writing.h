#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include <holdfast/core/input.h>
#include <holdfast/journal/appender.h>
#include <holdfast/journal/requests.h>
#include <holdfast/space/access.h>
#include <holdfast/space/write_options.h>

#include "answer.h"

namespace holdfast {

/// Who writes where, under a fresh request id unless the caller has one.
inline journal::WriteContext write_context(const Access& access, const WriteOptions& options = {}) {
  return {.space = access.space,
          .actor = access.actor,
          .request_id = options.request_id.empty() ? to_string(access.environment.ids.next())
                                                   : core::check_request_id(options.request_id),
          .environment = access.environment,
          .registry = access.registry};
}

/// A random pause that grows with the attempts, up to some 20 ms, so that rivals fall out of step.
inline void pause_before_retry(core::Environment& environment, unsigned attempt) {
  const std::uint64_t longest_us = std::min<std::uint64_t>(50ULL << std::min(attempt, 8U), 20'000);
  environment.clock.sleep_for(
      std::chrono::microseconds(environment.random.below(longest_us)));
}

/// One request in a write transaction: gives the answer that is kept for it, or does the work and
/// keeps the answer.
class Asked {
 public:
  /// `what` names the whole request, as text; asked for only when an answer is looked up or kept.
  Asked(const WriteOptions& options, std::function<std::string()> what)
      : is_named_(!options.request_id.empty()), what_(std::move(what)) {}

  /// `Repeat` makes the answer again from its text; `Write` does the work.
  template <class Write, class Repeat>
  auto in(journal::Appender& appender, Write write, Repeat repeat) const {
    if (is_named_) {
      if (const auto kept = journal::find_answer(appender, request(appender))) {
        return repeat(JsonObject::trusted(*kept));
      }
    }
    auto result = write(appender);
    // Found by a row's own history when there is but one; a caller's id is looked up.
    if (result.wrote() && (is_named_ || covers_several(result))) {
      journal::keep_answer(appender, request(appender), kept_form(result));
    }
    return result;
  }

 private:
  journal::Request request(const journal::Appender& appender) const {
    return journal::make_request(appender.request_id(), what_());
  }

  bool is_named_;
  std::function<std::string()> what_;
};

template <class Row>
bool covers_several(const WriteResult<Row>& result) {
  return !result.edges.empty() || !result.handed_over.empty();
}
template <class Row>
std::string kept_form(const WriteResult<Row>& result) {
  return to_json(stored(result));
}

/// Submits one guarded write to the store's writer: `write` gets the Appender and answers with a
/// WriteResult, and what was refused is undone. Counts nothing.
template <class Result, class Write>
Result submit_uncounted(const Access& access, const journal::WriteContext& context, Write write) {
  Result result;
  access.database.writer().submit(
      [&](storage::Transaction& transaction) {
        result = journal::in_space(transaction, context, [&](journal::Appender& appender) {
          Result answer = write(appender);
          if (answer.wrote() && !answer.repeated) answer.pending = appender.pending();
          return answer;
        });
        return result.wrote() && !result.repeated ? storage::Verdict::keep
                                                  : storage::Verdict::undo;
      },
      context.request_id);
  return result;
}

/// The same, told to the meter.
template <class Result, class Write>
Result submit_write(const Access& access, const journal::WriteContext& context,
                    std::string_view kind, Write write) {
  auto result = submit_uncounted<Result>(access, context, write);
  access.meter.wrote(kind, result.outcome, result.repeated);
  return result;
}

}  // namespace holdfast
