#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/projection_follower.h>
#include <holdfast/journal/projection_verify.h>
#include <holdfast/journal/rebuild.h>

#include "suites/support.h"
#include "support/words_projection.h"

namespace holdfast::test {

/// A store whose space has the followed projection "words", declared but not built.
class Projected {
 public:
  explicit Projected(std::uint64_t seed = 1);

  const Space& space() const { return *store.space; }
  journal::ProjectionSite site() const { return site_of(*store.space); }
  static journal::ProjectionSite site_of(const Space& space);

  /// Declares it anew when a rebuild that never served was cancelled.
  void declare();
  journal::RebuildReport rebuild(const journal::RebuildOptions& options = {},
                                 const journal::RebuildControl& control = {}) const {
    return journal::rebuild(site(), "words", options, control);
  }
  std::uint64_t follow() const { return journal::follow_projection(site(), "words").events; }

  /// The `nth` time that the loop passes `seam`, `act` runs once, in its thread.
  void at(std::string_view seam, const std::function<void()>& act, int nth = 1);

  /// Runs `change` in a write transaction, as the loops do.
  void write(const std::function<void(storage::Transaction&)>& change) const;
  journal::Generation generation(journal::GenerationState state) const;
  bool has(journal::GenerationState state) const;
  /// What the serving generation has of a source; "" for nothing.
  std::string word(std::string_view kind, const Uuid& id) const;
  std::string word(const Entity& entity) const { return word("entity", entity.id.uuid); }
  /// What is wrong with the projection, as "check: detail" lines; "" when nothing is.
  std::string faults() const;

  WordsProjection words;
  TestStore store;
};

/// One guarded write of derived rows, by itself.
journal::DerivedResult write_one(const Projected& f, const journal::Generation& generation,
                                 const journal::Derivation& derivation);
journal::Derivation derivation_of(const Entity& entity, Sequence as_of);

}  // namespace holdfast::test
