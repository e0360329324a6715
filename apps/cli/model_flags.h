#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/rebuild.h>
#include <holdfast/vectors/given_vectors.h>
#include <holdfast/vectors/model.h>

#include "options.h"

/// What flags say of models, of their indexes, and of vectors.
namespace holdfast::cli {

/// The model that the flags declare; what they leave out has its default.
Model new_model(const std::string& name, const ModelOptions& flags);
/// The model with what the flags change; absent when they change nothing of it. Another type of
/// embedder takes nothing over from the one before.
std::optional<Model> changed_model(const Model& declared, const ModelOptions& flags);
/// The parameters with what the flags change; absent when they change none.
std::optional<IndexParameters> changed_parameters(const IndexParameters& set,
                                                  const ModelOptions& flags);

/// --batch, --lease, --restart and --allow-failures.
journal::RebuildOptions rebuild_options(const Options& options);
/// Seconds, 0.001 to a day.
std::chrono::milliseconds parse_lease(const std::string& text);
/// A number that is not negative.
double parse_amount(std::string_view field, const std::string& text, std::string_view rule);

/// --vector and --vectors.
std::vector<GivenVectors> given_vectors(const Options& options);

}  // namespace holdfast::cli
