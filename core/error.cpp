#include <holdfast/core/error.h>
#include <holdfast/core/printable.h>

namespace holdfast {

namespace {

constexpr std::size_t kShownBytesMax = 80;

std::string shown(const std::string& text) { return core::printable(text, kShownBytesMax); }

}  // namespace

InvalidArgument::InvalidArgument(std::string field, std::string value, std::string rule)
    : Error(shown(field) + ": '" + shown(value) + "' must " + rule),
      field_(std::move(field)),
      value_(shown(value)),
      rule_(std::move(rule)) {}

NotFound::NotFound(std::string what, std::string id)
    : Error(what + " '" + shown(id) + "' does not exist"),
      what_(std::move(what)),
      id_(std::move(id)) {}

}  // namespace holdfast
