#pragma once

#include <functional>
#include <string_view>
#include <utility>

namespace holdfast::core {

/// Named places where a test may pause, fail or kill. Costs one branch when nothing is armed.
/// Thread safety: arm before the threads start; `at` from any thread.
class Faults {
 public:
  using Handler = std::function<void(std::string_view point)>;
  void arm(Handler handler) { handler_ = std::move(handler); }
  void at(std::string_view point) const {
    if (handler_) handler_(point);
  }

 private:
  Handler handler_;
};

}  // namespace holdfast::core
