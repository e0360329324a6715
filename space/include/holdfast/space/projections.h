#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <holdfast/graph/key.h>
#include <holdfast/journal/projection_status.h>
#include <holdfast/journal/rebuild.h>
#include <holdfast/space/access.h>

namespace holdfast {

/// What is derived from one space's rows: declared keys, and what later comes by other modules.
/// Thread safety: any thread. Must not outlive the Store.
class Projections {
 public:
  explicit Projections(Access access) : access_(std::move(access)) {}

  /// By name.
  std::vector<journal::DeclaredProjection> list() const;
  /// Exact counts of its sources, which it reads all, and who is rebuilding it. Throws NotFound.
  journal::ProjectionStatus status(std::string_view name) const;
  /// See journal::rebuild().
  journal::RebuildReport rebuild(std::string_view name,
                                 const journal::RebuildOptions& options = {},
                                 const journal::RebuildControl& control = {}) const;
  /// See journal::cancel_rebuild().
  bool cancel(std::string_view name) const;
  /// Removes what earlier generations have left. Returns the number of rows.
  std::uint64_t remove_dropped() const;
  /// Derives everything anew and compares; empty when all is well. Throws NotFound.
  std::vector<journal::Finding> verify(std::string_view name) const;

 private:
  journal::ProjectionSite site() const;

  Access access_;
};

enum class KeyOutcome {
  declared,            ///< in force from now on
  unchanged,           ///< it was already
  declared_otherwise,  ///< the name stands for another declaration; undeclare that first
  refused,             ///< rows clash, or have something that cannot be a key: see the problems
  stopped,             ///< by the control; declaring it again goes on
  cancelled,           ///< somebody else has taken it back meanwhile
};
std::string_view to_string(KeyOutcome outcome);

struct [[nodiscard]] DeclareKeyResult {
  KeyOutcome outcome = KeyOutcome::declared;
  /// With declared_otherwise: what is declared there.
  std::optional<KeyDeclaration> current{};
  /// How building it went; of a refusal the rows that are in the way.
  journal::RebuildReport build{};
};

}  // namespace holdfast
