#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <holdfast/space/space.h>
#include <holdfast/vectors/similar.h>

/// Models, their vectors and their indexes, for programs and for people.
namespace holdfast::cli {

/// The name, or, for an empty one, that of the space's default model. Without one it is
/// refused.
std::string model_named(const Space& space, const std::string& name);

/// {"name",...the declaration's members,"index","is_default","created_at"}
std::string to_json(const DeclaredModel& declared);
std::string describe(const DeclaredModel& declared);
/// A line for a list: the embedder in a few words.
std::string describe(const EmbedderSpec& embedder);

/// {"generation",...,"parameters","state",...}
std::string to_json(const IndexStatus& index);
std::string describe(const IndexStatus& index);
/// {"model","tail","serving","building","rebuild","embed","index"}
std::string to_json(const ModelStatus& status, const IndexStatus& index);
std::string describe(const ModelStatus& status, const IndexStatus& index);

/// {"applied":1,...}
std::string outcomes_json(const std::map<std::string, std::uint64_t>& outcomes);
/// "applied 1, failed 2"; "nothing" for none.
std::string outcomes_text(const std::map<std::string, std::uint64_t>& outcomes);
std::string problems_json(const std::vector<journal::DerivedProblem>& problems);

std::string to_json(const journal::DerivedFailure& failure);

}  // namespace holdfast::cli
