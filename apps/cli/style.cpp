#include "style.h"

#include <unistd.h>

#include "location.h"

namespace holdfast::cli {
namespace {

// JSON spells all of these out, so that documents pass through unchanged.
constexpr char kHeading = '\x01';
constexpr char kError = '\x02';
constexpr char kConflict = '\x03';
constexpr char kEnd = '\x04';

char mark_of(Style style) {
  switch (style) {
    case Style::heading:
      return kHeading;
    case Style::error:
      return kError;
    case Style::conflict:
      return kConflict;
  }
  return kEnd;
}

std::string_view colours_of(char mark) {
  switch (mark) {
    case kHeading:
      return "\033[1m";
    case kError:
      return "\033[1;31m";
    case kConflict:
      return "\033[1;33m";
    default:
      return "\033[0m";
  }
}

}  // namespace

std::string styled(Style style, std::string_view text) {
  return mark_of(style) + std::string(text) + kEnd;
}

bool takes_colours(int stream) {
  return isatty(stream) == 1 && !environment_variable("NO_COLOR") &&
         environment_variable("TERM").value_or("dumb") != "dumb";
}

std::string painted(std::string_view text, int stream) {
  const bool with_colours = takes_colours(stream);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c < kHeading || c > kEnd) {
      out += c;
    } else if (with_colours) {
      out += colours_of(c);
    }
  }
  return out;
}

}  // namespace holdfast::cli
