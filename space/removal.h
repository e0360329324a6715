#pragma once

#include <holdfast/space/access.h>
#include <holdfast/space/space_removal.h>

namespace holdfast {

/// See Store::delete_space().
SpaceRemoval remove_space(const Access& access, const RemovalControl& control);

}  // namespace holdfast
