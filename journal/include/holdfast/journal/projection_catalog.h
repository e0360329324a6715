#pragma once

// Thread safety: that of the transaction, one thread at a time. What writes does so in a
// transaction that has the space's row locked.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection.h>

namespace holdfast::journal {

/// A projection that a space has, whatever generations of it there are.
struct DeclaredProjection {
  std::string name;
  std::string type;
  Upkeep upkeep = Upkeep::in_transaction;
  JsonObject declaration;         ///< what derived rows depend on
  JsonObject options{};           ///< what else is settled for all processes
  bool is_default = false;        ///< what is meant when none of its type is named
  Timestamp created_at{};
};
/// By name.
std::vector<DeclaredProjection> declared_projections(storage::Transaction& transaction,
                                                     std::string_view space);
std::optional<DeclaredProjection> find_declared(storage::Transaction& transaction,
                                                std::string_view space, std::string_view name);
/// The name must be free.
void declare_projection(storage::Transaction& transaction, std::string_view space,
                        const DeclaredProjection& projection);
/// From now on the projection is to be what this says: the next rebuild makes it so, and until
/// then what serves goes on by the declaration it was made by. A generation that is being built by
/// another declaration is given up. Throws NotFound.
void redeclare_projection(storage::Transaction& transaction, std::string_view space,
                          std::string_view name, const JsonObject& declaration,
                          const JsonObject& options);
/// At most one of each type.
std::optional<DeclaredProjection> find_default(storage::Transaction& transaction,
                                               std::string_view space, std::string_view type);
/// Throws NotFound.
void make_default(storage::Transaction& transaction, std::string_view space,
                  std::string_view type, std::string_view name);
/// Takes the declaration back; its generations are dropping from then on.
void undeclare_projection(storage::Transaction& transaction, std::string_view space,
                          std::string_view name);

/// By name and number; those that are dropping are left out.
std::vector<Generation> written_generations(storage::Transaction& transaction,
                                            std::string_view space);
/// All of the space, those of projections that are no longer declared included.
std::vector<Generation> all_generations(storage::Transaction& transaction,
                                        std::string_view space);
std::optional<Generation> find_generation(storage::Transaction& transaction,
                                          std::string_view space, std::string_view projection,
                                          GenerationState state);
/// Whether the generation may be written to as it was read: it is building or serving, and was
/// made by the same rules.
bool is_written(storage::Transaction& transaction, std::string_view space,
                const Generation& generation);

/// What the lease on building generations of a projection is called.
std::string rebuild_lease_name(std::string_view projection);

/// A new generation, building, under a number that the space has never used.
Generation begin_generation(storage::Transaction& transaction, std::string_view space,
                            const DeclaredProjection& projection, const std::string& signature,
                            const Tail& tail, Timestamp now);
/// Stores the walk's place and counts; `failed` is what has failed since it was last stored.
void save_walk(storage::Transaction& transaction, std::string_view space,
               const Generation& generation, std::uint64_t failed);
/// The walk begins anew, with nothing done.
void restart_walk(storage::Transaction& transaction, std::string_view space,
                  Generation& generation, const Tail& tail);
/// One more source of a generation that clashes with another.
void count_clash(storage::Transaction& transaction, std::string_view space,
                 const Generation& generation);
/// The walk is over: the generation reflects the journal up to where the walk began. False, with
/// nothing written, unless it is building and nothing has failed.
bool finish_walk(storage::Transaction& transaction, std::string_view space,
                 const Generation& generation);
/// Moves the watermark of a followed generation forward; false when it is there already, or the
/// generation is not written to.
bool advance_watermark(storage::Transaction& transaction, std::string_view space,
                       const Generation& generation, Sequence to);
/// Makes the generation the serving one in the place of `replaced`, which then is dropping. False,
/// with nothing written, unless it is building, walked and without failures, and `replaced` serves.
bool swap_generations(storage::Transaction& transaction, std::string_view space,
                      const Generation& generation, std::optional<std::uint64_t> replaced);
/// The generation is written to no more; its rows are removed by remove_some_of().
void drop_generation(storage::Transaction& transaction, std::string_view space,
                     const Generation& generation);
/// Removes up to `limit` rows of a generation that is dropping, at last itself. Returns what it
/// removed: 0 when nothing was left.
std::uint64_t remove_some_of(storage::Transaction& transaction, const Registry& registry,
                             std::string_view space, const Generation& generation,
                             std::size_t limit);

}  // namespace holdfast::journal
