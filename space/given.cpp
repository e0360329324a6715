#include "given.h"

#include <algorithm>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/space/models.h>
#include <holdfast/vectors/model.h>

namespace holdfast {
namespace {

using journal::Generation;
using journal::GenerationState;

/// Finds the generations that one list of vectors is for.
class Recipients {
 public:
  Recipients(journal::Appender& appender, std::string field, const GivenVectors& given)
      : appender_(appender), field_(std::move(field)), given_(given), name_(model_name()) {}

  std::vector<const Generation*> find() const {
    std::vector<const Generation*> written;
    for (const Generation& generation : appender_.generations()) {
      if (generation.projection == name_ && generation.type == vectors::kModelType) {
        written.push_back(&generation);
      }
    }
    if (written.empty()) refuse_model();
    if (given_.generation) return {named(written)};
    const auto serving = std::find_if(written.begin(), written.end(), [](const Generation* one) {
      return one->state == GenerationState::serving;
    });
    if (serving == written.end()) return written;
    const Model model = model_of(**serving);
    const auto is_other = [&](const Generation* one) {
      return one != *serving && !embeds_alike(model, model_of(*one));
    };
    std::erase_if(written, is_other);
    return written;
  }

  Model model_of(const Generation& generation) const {
    return Model::parse(name_, generation.declaration);
  }

 private:
  std::string model_name() const {
    if (!given_.model.empty()) return core::check_name(field_ + ".model", given_.model);
    const auto by_default = journal::find_default(appender_.transaction(), appender_.space(),
                                                  vectors::kModelType);
    if (by_default) return by_default->name;
    throw InvalidArgument(field_ + ".model", "", "be given: " + std::string(kNoDefaultModel));
  }

  [[noreturn]] void refuse_model() const {
    const auto declared =
        journal::find_declared(appender_.transaction(), appender_.space(), name_);
    const bool is_model = declared && declared->type == vectors::kModelType;
    throw InvalidArgument(field_ + ".model", name_,
                          is_model ? "be built before vectors are given for it"
                                   : "be a model of the space");
  }

  const Generation* named(const std::vector<const Generation*>& written) const {
    std::string there;
    for (const Generation* const generation : written) {
      if (generation->number == *given_.generation) return generation;
      there += (there.empty() ? "" : " and ") + std::to_string(generation->number);
    }
    throw Conflict(field_ + ".generation: " + std::to_string(*given_.generation) +
                   " is not written to, but " + there + " of model " + name_ +
                   ": make the vectors anew, for those of two generations cannot be compared");
  }

  journal::Appender& appender_;
  std::string field_;
  const GivenVectors& given_;
  std::string name_;
};

void give_one(journal::Appender& appender, std::string_view kind, const journal::StoredRow& row,
              const std::string& field, const GivenVectors& given) {
  const journal::Projection& projection = appender.registry().projection(vectors::kModelType);
  const Recipients recipients(appender, field, given);
  for (const Generation* const generation : recipients.find()) {
    const Model model = recipients.model_of(*generation);
    if (generation->signature != journal::signature(projection, generation->declaration)) {
      throw Unsupported("model " + model.name +
                        " was made by the rules of another version of this program; rebuild it");
    }
    const auto text = projection.input(generation->declaration, kind, row);
    if (!text) {
      throw InvalidArgument(field + ".model", model.name,
                            "embed something of " + std::string(kind) + " " +
                                to_string(row.id) + ": it finds no text there");
    }
    const auto outcome =
        appender.give(kind, row, *generation,
                      vectors::pack_for(field + ".vectors", model, *text, given.vectors));
    if (outcome != journal::DerivedOutcome::applied) {
      throw std::logic_error("vectors given with a row ended as " +
                             std::string(journal::to_string(outcome)));
    }
  }
}

}  // namespace

void give_vectors(journal::Appender& appender, std::string_view kind,
                  const journal::StoredRow& row, std::span<const GivenVectors> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    give_one(appender, kind, row, "vectors[" + std::to_string(i) + "]", given[i]);
  }
}

}  // namespace holdfast
