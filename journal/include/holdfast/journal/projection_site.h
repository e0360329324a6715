#pragma once

// Thread safety: what it refers to is safe from any thread.

#include <string>

#include <holdfast/core/environment.h>
#include <holdfast/journal/registry.h>
#include <holdfast/storage/database.h>

namespace holdfast::journal {

/// Where projections live. What it refers to must outlive it.
struct ProjectionSite {
  storage::Database& database;
  core::Environment& environment;
  const Registry& registry;
  std::string space;
};

}  // namespace holdfast::journal
