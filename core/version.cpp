#include <holdfast/core/version.h>

#define HOLDFAST_TEXT_OF(number) #number
#define HOLDFAST_TEXT(number) HOLDFAST_TEXT_OF(number)

namespace holdfast {

std::string_view library_version() {
  return HOLDFAST_TEXT(HOLDFAST_VERSION_MAJOR) "." HOLDFAST_TEXT(
      HOLDFAST_VERSION_MINOR) "." HOLDFAST_TEXT(HOLDFAST_VERSION_PATCH);
}

}  // namespace holdfast
