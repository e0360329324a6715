#pragma once

#include <string>

#include <holdfast/space/store.h>

#include "options.h"

namespace holdfast::cli {

/// The settings with what is asked for in place of what they were. Throws InvalidArgument.
SpaceSettings changed(const SpaceSettings& settings, const SettingOptions& options);

bool has_space(Store& store, const std::string& name, const std::string& actor);

}  // namespace holdfast::cli
