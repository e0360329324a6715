#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include <holdfast/schedule/attempt.h>
#include <holdfast/schedule/event.h>

namespace holdfast {

/// One call of a handler: an occurrence whose time has come.
struct Firing {
  std::string_view space;
  const ScheduledEvent& event;  ///< as it was when it was claimed
  const Attempt& attempt;       ///< its occurrence's id is the key to make an effect idempotent by
  std::string_view actor;       ///< who created the event, and on whose behalf it happens
  std::stop_token stop;         ///< asked for when the scheduler ends, or the claim is lost
  /// Renews the lease now; it is renewed in the background too. False: the claim is lost, and
  /// whatever is answered is refused.
  std::function<bool()> keep_alive;
};

/// What a handler answers. One that throws has an effect that is not known, unless it throws
/// ActionFailed.
struct [[nodiscard]] ActionResult {
  bool succeeded = true;
  Effect effect = Effect::committed;  ///< of a failure
  std::string error{};

  static ActionResult ok() { return {}; }
  static ActionResult failed(Effect effect, std::string error) {
    return {.succeeded = false, .effect = effect, .error = std::move(error)};
  }
};

/// What a handler may throw instead.
/// Thread safety: as std::exception.
class ActionFailed : public std::runtime_error {
 public:
  ActionFailed(Effect effect, const std::string& error)
      : std::runtime_error(error), effect_(effect) {}
  Effect effect() const noexcept { return effect_; }

 private:
  Effect effect_;
};

/// What a host does when an occurrence's time has come. It runs outside any transaction and may
/// take minutes.
/// Thread safety: called from several threads at once.
struct Handler {
  std::function<ActionResult(const Firing&)> call;
  /// The handler may be called again for the same occurrence: then an attempt whose worker died in
  /// it is made again. Otherwise it ends as indeterminate.
  bool is_idempotent = false;
};

struct Handlers {
  /// By the name in the event's payload. Events of other names are left to other workers.
  std::map<std::string, Handler, std::less<>> actions{};
  /// Without one a reminder leaves a note of kind "reminder" in its space, in the transaction that
  /// finishes the event.
  std::optional<Handler> reminder{};
  /// Asked before anything happens, plans and notes included; a text says why it is denied.
  std::function<std::optional<std::string>(const Firing&)> authorize{};
};

}  // namespace holdfast
