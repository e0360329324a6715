#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/id.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/revision.h>
#include <holdfast/journal/registry.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

/// When what is derived from a row is brought up to date.
enum class Upkeep {
  in_transaction,  ///< with the row, by whoever writes it: never behind
  followed,        ///< behind it, by whoever runs a follower
};
std::string_view to_string(Upkeep upkeep);

/// Whose derived rows are meant.
struct DerivedOf {
  std::string_view space;
  std::string_view projection;
  std::uint64_t generation = 0;
  std::string_view kind;  ///< of the source row
  Uuid id;
};

/// What is stored for one input, or why nothing can be: the text itself is at fault.
struct Derived {
  std::string value{};
  std::string failure{};  ///< for people; empty: there is none
  /// Nothing was decided, and what this holds stopped the work: others' values are kept, and then
  /// it is thrown.
  std::exception_ptr stopped{};
};

/// A type of projection: rows derived from the rows of the journal's sources. What a declaration
/// says, which generation serves and how far it is, is in the database's catalogue; this is only
/// how rows are made. Its tables lead with space, name and generation.
/// Thread safety: any number of calls at once; it has no state that changes.
class Projection {
 public:
  virtual ~Projection() = default;

  virtual std::string_view type() const = 0;  ///< frozen: part of the file format
  /// Rises with every change to what is derived from one and the same row: rows of another
  /// revision are not served.
  virtual std::uint64_t protocol() const = 0;
  virtual Upkeep upkeep() const = 0;
  /// Kinds of rows that a declaration draws from.
  virtual std::vector<std::string_view> sources(const JsonObject& declaration) const = 0;
  /// False: what is derived comes with the writes (Appender::give) and is never made here. Sources
  /// whose input has changed then wait for it.
  virtual bool can_derive(const JsonObject&) const { return true; }
  /// Whether from equal inputs equal rows are derived by both declarations, at a price: a new
  /// generation then takes over what the serving one has.
  virtual bool derives_alike(const JsonObject&, const JsonObject&) const { return false; }

  /// All of a live row that its derived rows depend on; absent when it has none. Equal input means
  /// equal derived rows. Throws InvalidArgument for a row that none can be made of.
  virtual std::optional<std::string> input(const JsonObject& declaration, std::string_view kind,
                                           const StoredRow& row) const = 0;
  /// What is stored for each input, in their order: outside any transaction, so it may take its
  /// time. By default the input itself. What it throws may pass, and stops the work there.
  virtual std::vector<Derived> derive(const JsonObject& declaration,
                                      std::span<const std::string> inputs) const;

  /// Puts these rows in the place of the source's derived rows. Answers with the source whose
  /// derived rows do not allow them beside its own; the source then has none.
  virtual std::optional<Uuid> write(storage::Transaction& transaction, const DerivedOf& of,
                                    std::string_view derived) const = 0;
  virtual void purge(storage::Transaction& transaction, const DerivedOf& of) const = 0;
  /// Whether rows, in the form of derive(), can be those of the input: what is cheap to tell.
  virtual bool could_be(const JsonObject&, std::string_view, std::string_view) const {
    return true;
  }
  /// What is stored of the source, in the form of derive(); absent when nothing is.
  virtual std::optional<std::string> stored(storage::Transaction& transaction,
                                            const DerivedOf& of) const = 0;
  /// The table that it keeps its rows in, for counting and removing: it has the columns space, name
  /// (of the projection), generation and id (of the source).
  virtual std::string_view table() const = 0;
  /// Others that have these columns too. Their rows may outlive a source's derived rows, and go
  /// with the generation.
  virtual std::vector<std::string_view> side_tables() const { return {}; }
};

/// A text that two processes agree on when they derive alike: type, protocol and declaration.
std::string signature(const Projection& projection, const JsonObject& declaration);
/// The declaration that a signature spells out. Throws Corrupt.
JsonObject declaration_in(std::string_view signature);

/// What became of one source's derived rows. `wrong_generation`, `clash` and `failed` are failures.
enum class DerivedOutcome {
  applied,
  restamped,         ///< the input is as it was: only the version moved
  skipped_stale,     ///< the source, or what is stored, is newer than what was read
  purged,            ///< the source is deleted, or gone, and so is what was derived from it
  wrong_generation,  ///< the generation is no longer, or not yet, one that is written to
  clash,             ///< another source's derived rows stand in the way
  failed,            ///< nothing can be derived: what was derived earlier stays, and is stale
  waiting,           ///< what is derived comes with the writes, and of this input it did not yet
};
std::string_view to_string(DerivedOutcome outcome);

/// The state of a generation.
enum class GenerationState {
  building,  ///< filled beside the serving one; at most one of a projection
  serving,   ///< at most one of a projection
  dropping,  ///< no longer written to; its rows are on their way out
};
std::string_view to_string(GenerationState state);

/// One generation as the catalogue has it.
struct Generation {
  std::string projection;
  std::string type;
  Upkeep upkeep = Upkeep::in_transaction;
  JsonObject declaration;  ///< that it was made by; the projection may be declared anew since
  JsonObject options{};    ///< of the projection, as they are now
  std::uint64_t number = 0;
  GenerationState state = GenerationState::building;
  std::string signature;
  Sequence watermark = 0;   ///< everything up to here is in it
  Sequence walk_from = 0;   ///< the journal's end when its walk began
  std::optional<std::string> walk_kind{};  ///< the last source that the walk has done
  std::optional<Uuid> walk_id{};
  bool walk_done = false;
  std::uint64_t walked = 0;   ///< sources done
  std::uint64_t skipped = 0;  ///< of these, those that somebody newer had done
  std::uint64_t failed = 0;   ///< of these, and of what was written since, those that clash
  Timestamp created_at;
};

/// What was read of one source, for its derived rows.
struct Derivation {
  std::string_view kind;
  Uuid id;
  Sequence as_of = 0;                 ///< the journal's end in the snapshot it was read in
  std::optional<std::string> input{};  ///< absent: nothing is to be derived
  std::string derived{};
  /// Why nothing could be derived of the input; empty: it could.
  std::string failure{};
  /// The writer of the source brings its derived rows: equal input is no reason to keep those that
  /// are there.
  bool is_given = false;
};

/// Names no place of the journal, so what is written as of it is never stale.
inline constexpr Sequence kForce = 0x7fffffffffffffff;

/// What writing one derivation came to, and who stands in the way of a clash.
struct DerivedResult {
  DerivedOutcome outcome = DerivedOutcome::applied;
  std::optional<Uuid> clashes_with{};
};

/// Writes derived rows under the guard, within a transaction that has the space's row locked: they
/// land unless the source, or the version that is stored, is newer than what was read. A failure
/// is listed under the same guard (projection_failures.h), until something lands. Everything that
/// writes derived rows comes through here.
DerivedResult write_derived(storage::Transaction& transaction, const Registry& registry,
                            std::string_view space, const Generation& generation,
                            const Derivation& derivation, Timestamp now);

/// Whether the stored version was made from equal input, so that nothing need be derived anew.
bool is_derived_from(storage::Transaction& transaction, const DerivedOf& of,
                     const std::optional<std::string>& input);

}  // namespace holdfast::journal
