#include <holdfast/space/models.h>

#include <algorithm>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/limits.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/space_contents.h>
#include <holdfast/vectors/vector_index.h>

#include "embed_site.h"
#include "models_catalog.h"
#include "reading.h"

namespace holdfast {
namespace {

using journal::GenerationState;

ModelOutcome outcome_of(journal::RebuildEnd end) {
  switch (end) {
    case journal::RebuildEnd::swapped: return ModelOutcome::created;
    case journal::RebuildEnd::stopped: return ModelOutcome::stopped;
    case journal::RebuildEnd::cancelled: return ModelOutcome::cancelled;
    case journal::RebuildEnd::refused:
    case journal::RebuildEnd::incomplete: return ModelOutcome::incomplete;
  }
  return ModelOutcome::cancelled;
}

/// Its sources are kinds of rows that there are; a space's own row is none of its rows.
void check_kinds(const Model& model, const journal::Registry& registry) {
  std::vector<std::string_view> kinds;
  std::string known;
  for (const journal::Source& source : registry.sources()) {
    if (source.kind == "space") continue;
    kinds.push_back(source.kind);
    known += (known.empty() ? "" : ", ") + std::string(source.kind);
  }
  for (const ModelSource& source : model.sources) {
    if (std::find(kinds.begin(), kinds.end(), source.kind) != kinds.end()) continue;
    throw InvalidArgument("sources.kind", source.kind, "be one of " + known);
  }
}

journal::DeclaredProjection projection_of(const Model& model, const IndexParameters& parameters,
                                          bool is_default, Timestamp now) {
  return {.name = model.name,
          .type = std::string(vectors::kModelType),
          .upkeep = journal::Upkeep::followed,
          .declaration = model.to_json(),
          .options = parameters.to_json(),
          .is_default = is_default,
          .created_at = now};
}

/// Before the new generation serves, its index is in a file, which every process then loads.
journal::RebuildOptions with_index(const Access& access, std::string_view name,
                                   journal::RebuildOptions options) {
  if (options.prepare) return options;
  options.prepare = [&access, name = std::string(name)](const journal::Generation& generation,
                                                        const std::function<bool()>& go_on) {
    access.indexes.of(access.space, name).prepare(generation, go_on);
  };
  return options;
}

}  // namespace

std::string_view to_string(ModelOutcome outcome) {
  switch (outcome) {
    case ModelOutcome::created: return "created";
    case ModelOutcome::unchanged: return "unchanged";
    case ModelOutcome::declared_otherwise: return "declared_otherwise";
    case ModelOutcome::incomplete: return "incomplete";
    case ModelOutcome::stopped: return "stopped";
    case ModelOutcome::cancelled: return "cancelled";
  }
  return "unknown";
}

journal::ProjectionSite Models::site() const {
  return {.database = access_.database,
          .environment = access_.environment,
          .registry = access_.registry,
          .space = access_.space};
}

CreateModelResult Models::create(const Model& given, const IndexParameters& parameters,
                                 const CreateModelOptions& options,
                                 const journal::RebuildControl& control) const {
  const Model model = check_model(given);
  check_kinds(model, access_.registry);
  check_index_parameters(parameters);
  journal::check_rebuild_options(options.rebuild);  // before anything is declared
  vectors::check_embedding_options(options.embedding);
  CreateModelResult result;
  bool is_to_be_built = false;
  change_models(access_, [&](storage::Transaction& transaction) {
    result = {};
    const auto declared = journal::find_declared(transaction, access_.space, model.name);
    is_to_be_built = options.build;
    if (!declared) {
      require_room_for_projection(transaction, access_.space);
      const auto other =
          journal::find_default(transaction, access_.space, vectors::kModelType);
      journal::declare_projection(
          transaction, access_.space,
          projection_of(model, parameters, !other, access_.environment.clock.now()));
      if (other && options.make_default) {
        journal::make_default(transaction, access_.space, vectors::kModelType, model.name);
      }
      return storage::Verdict::keep;
    }
    const bool is_model = declared->type == vectors::kModelType;
    if (is_model) result.current = read_model(*declared);
    const bool is_same = is_model && result.current->model == model &&
                         result.current->parameters == parameters;
    result.outcome = is_same ? ModelOutcome::unchanged : ModelOutcome::declared_otherwise;
    is_to_be_built = is_to_be_built && is_same &&
                     !journal::find_generation(transaction, access_.space, model.name,
                                               GenerationState::serving);
    return storage::Verdict::undo;
  });
  if (!is_to_be_built) return result;
  result.current.reset();
  const EmbedSite own(access_, options.embedding, options.rebuild.stop);
  result.build = journal::rebuild(own.site(), model.name,
                                  with_index(access_, model.name, options.rebuild), control);
  result.outcome = outcome_of(result.build.end);
  return result;
}

std::vector<DeclaredModel> Models::list() const {
  const Reading reading(access_);
  std::vector<DeclaredModel> models;
  for (const auto& declared :
       journal::declared_projections(reading.transaction(), access_.space)) {
    if (declared.type == vectors::kModelType) models.push_back(read_model(declared));
  }
  return models;
}

std::optional<DeclaredModel> Models::find(std::string_view name) const {
  const Reading reading(access_);
  const auto declared = journal::find_declared(reading.transaction(), access_.space, name);
  if (!declared || declared->type != vectors::kModelType) return std::nullopt;
  return read_model(*declared);
}

std::optional<DeclaredModel> Models::find_default() const {
  const Reading reading(access_);
  const auto declared =
      journal::find_default(reading.transaction(), access_.space, vectors::kModelType);
  if (!declared) return std::nullopt;
  return read_model(*declared);
}

void Models::make_default(std::string_view name) const {
  change_models(access_, [&](storage::Transaction& transaction) {
    (void)require_model(transaction, access_.space, name);
    journal::make_default(transaction, access_.space, vectors::kModelType, name);
    return storage::Verdict::keep;
  });
}

bool Models::drop(std::string_view name) const {
  bool was_declared = false;
  change_models(access_, [&](storage::Transaction& transaction) {
    const auto declared = journal::find_declared(transaction, access_.space, name);
    was_declared = declared && declared->type == vectors::kModelType;
    if (!was_declared) return storage::Verdict::undo;
    journal::undeclare_projection(transaction, access_.space, name);
    return storage::Verdict::keep;
  });
  if (was_declared) (void)journal::remove_dropped(site());
  return was_declared;
}

journal::RebuildReport Models::rebuild(std::string_view name, const RebuildModelOptions& options,
                                       const journal::RebuildControl& control) const {
  journal::check_rebuild_options(options.rebuild);
  vectors::check_embedding_options(options.embedding);
  if (options.parameters) check_index_parameters(*options.parameters);
  std::optional<Model> next;
  if (options.model) {
    next = *options.model;
    next->name = name;
    next = check_model(*next);
    check_kinds(*next, access_.registry);
  }
  change_models(access_, [&](storage::Transaction& transaction) {
    const auto declared = require_model(transaction, access_.space, name);
    const JsonObject declaration = next ? next->to_json() : declared.declaration;
    const JsonObject parameters =
        options.parameters ? options.parameters->to_json() : declared.options;
    if (declaration == declared.declaration && parameters == declared.options) {
      return storage::Verdict::undo;
    }
    refuse_while_rebuilt(transaction, access_, name);
    journal::redeclare_projection(transaction, access_.space, name, declaration, parameters);
    return storage::Verdict::keep;
  });
  const EmbedSite own(access_, options.embedding, options.rebuild.stop);
  return journal::rebuild(own.site(), name, with_index(access_, name, options.rebuild), control);
}

bool Models::cancel(std::string_view name) const {
  {
    const Reading reading(access_);
    (void)require_model(reading.transaction(), access_.space, name);
  }
  return journal::cancel_rebuild(site(), name);
}

void Models::configure(std::string_view name, const IndexParameters& parameters) const {
  check_index_parameters(parameters);
  change_models(access_, [&](storage::Transaction& transaction) {
    const auto declared = require_model(transaction, access_.space, name);
    journal::redeclare_projection(transaction, access_.space, name, declared.declaration,
                                  parameters.to_json());
    return storage::Verdict::keep;
  });
}

}  // namespace holdfast
