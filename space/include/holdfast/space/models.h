#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/journal/projection_failures.h>
#include <holdfast/journal/projection_follower.h>
#include <holdfast/journal/projection_status.h>
#include <holdfast/journal/rebuild.h>
#include <holdfast/space/access.h>
#include <holdfast/storage/page.h>
#include <holdfast/vectors/model.h>
#include <holdfast/vectors/reliable_embedder.h>

namespace holdfast {

/// A model as a space has it.
struct DeclaredModel {
  Model model;  ///< as declared last; what serves may still be of an earlier declaration
  IndexParameters parameters;
  bool is_default = false;  ///< what is meant when no model is named
  Timestamp created_at{};
};

/// What is said where a model must be named because no default is there.
inline constexpr std::string_view kNoDefaultModel =
    "the space has no default model; name one, or let `holdfast model create` declare one or "
    "`holdfast model default` choose one";

struct CreateModelOptions {
  /// The first model of a space becomes its default in any case.
  bool make_default = false;
  /// False: it is declared only, and built by rebuild().
  bool build = true;
  /// A new model may serve before all can be embedded: what cannot is listed.
  journal::RebuildOptions rebuild{.allow_failures = true};
  vectors::EmbeddingOptions embedding{};
};

enum class ModelOutcome {
  created,             ///< it serves from now on; or is declared, when it was not to be built
  unchanged,           ///< it was there already
  declared_otherwise,  ///< the name stands for something else; drop that, or rebuild the model
  incomplete,          ///< not every text has its vectors: see the failures; rebuild() goes on
  stopped,             ///< by the control; creating it again goes on
  cancelled,           ///< somebody else has taken it back meanwhile
};
std::string_view to_string(ModelOutcome outcome);

struct [[nodiscard]] CreateModelResult {
  ModelOutcome outcome = ModelOutcome::created;
  /// With declared_otherwise: what is declared there, when that is a model.
  std::optional<DeclaredModel> current{};
  journal::RebuildReport build{};  ///< how building it went
};

struct RebuildModelOptions {
  /// What the model is to be; its name is not looked at. Absent: as it is declared.
  std::optional<Model> model{};
  std::optional<IndexParameters> parameters{};
  journal::RebuildOptions rebuild{};
  vectors::EmbeddingOptions embedding{};
};

/// One generation of a model's vectors.
struct ModelGeneration {
  journal::Generation generation;
  Model model;                    ///< that its vectors are made by
  journal::SourceCounts sources;  ///< every row that it draws from, deleted ones too, is in one
  std::uint64_t failed = 0;       ///< of those that are stale or missing, those listed as failed
  std::uint64_t vectors = 0;
  std::uint64_t behind = 0;       ///< events that it has yet to take in; 0 while it is walked
  bool is_outdated = false;       ///< the model is declared otherwise by now: rebuild it
  /// Sources that still wait for their vectors.
  std::uint64_t pending() const { return sources.stale + sources.missing - failed; }
};

struct ModelStatus {
  DeclaredModel declared;
  Sequence tail = 0;  ///< of the space's journal
  std::optional<ModelGeneration> serving{};
  std::optional<ModelGeneration> building{};
  std::optional<storage::Lease> rebuild_lease{};  ///< of a rebuild that is under way
  std::optional<storage::Lease> embed_lease{};    ///< of whoever embeds just now
};

struct EmbedOptions {
  /// Events taken in at once, 1 to 10,000: as many texts are embedded, at most, before anything is
  /// written.
  std::size_t batch = 64;
  vectors::EmbeddingOptions embedding{};
  /// For how long the work belongs to this process after its last sign of life, which it gives
  /// behind each batch: 1 ms to a day.
  std::chrono::milliseconds lease{120'000};
  /// Tells those who have to wait who is at work; up to 200 bytes.
  std::string owner{};
  /// Called after each batch with what it came to; false stops there.
  std::function<bool(const journal::FollowReport&)> control{};
};

struct EmbedReport {
  std::uint64_t events = 0;
  std::map<std::string, std::uint64_t> outcomes;  ///< by to_string(DerivedOutcome)
  std::vector<journal::DerivedProblem> problems;  ///< the first 1,000
  bool was_stopped = false;                       ///< by the control, or the token
  /// Nothing was heard of this process for longer than its lease: what was left is not done, but
  /// left to whoever has taken it over. What it had in hand was written where it was still good.
  bool was_taken_over = false;
};

/// The models of one space and their vectors: declared in the database, so that every process means
/// the same, kept up by whoever runs embed(), or rebuild().
/// Thread safety: any thread. Must not outlive the Store.
class Models {
 public:
  explicit Models(Access access) : access_(std::move(access)) {}

  /// Declares a model and embeds what is there, while others read and write. Asked again it finds
  /// what is there, or goes on with what was stopped. Throws Full beyond 64 projections.
  CreateModelResult create(const Model& model, const IndexParameters& parameters = {},
                           const CreateModelOptions& options = {},
                           const journal::RebuildControl& control = {}) const;
  /// By name.
  std::vector<DeclaredModel> list() const;
  std::optional<DeclaredModel> find(std::string_view name) const;
  /// The model that is meant when none is named.
  std::optional<DeclaredModel> find_default() const;
  /// Throws NotFound("model").
  void make_default(std::string_view name) const;
  /// Takes the model back with all its vectors. No other becomes the default. False when there is
  /// no such model.
  bool drop(std::string_view name) const;

  /// Exact, of one instant; counts every source. Throws NotFound("model").
  ModelStatus status(std::string_view name) const;
  /// What cannot be embedded, of the serving generation or, by number, of another, by kind and id.
  Page<journal::DerivedFailure> failures(std::string_view name, const PageRequest& page = {},
                                         std::optional<std::uint64_t> generation = {}) const;
  /// Tries what is listed anew, in every generation: the rows named by `ids`, or all when there are
  /// none.
  EmbedReport retry_failed(std::string_view name, std::span<const Uuid> ids = {},
                           const EmbedOptions& options = {}) const;

  /// Brings the model's vectors up to the journal's end. Throws Busy, naming who, while another
  /// does so; EmbeddingUnavailable or Unavailable when nothing can be embedded now.
  EmbedReport embed(std::string_view name, const EmbedOptions& options = {}) const;
  /// Goes on doing so until `stop`, the control, or the end of the model or space. While another
  /// process is at work this one waits, and takes over when that ends. Failures of the endpoint are
  /// logged and tried again.
  EmbedReport embed(std::string_view name, const std::stop_token& stop,
                    const EmbedOptions& options = {}) const;

  /// Makes a new generation of the model's vectors, by a new declaration if one is given, and has
  /// it serve in the place of the old one once everything is in it; see journal::rebuild(). Vectors
  /// of equal texts are taken over when both embed alike. Writes reach both generations meanwhile.
  /// Where vectors come with the writes, sources that wait for theirs make it incomplete.
  journal::RebuildReport rebuild(std::string_view name, const RebuildModelOptions& options = {},
                                 const journal::RebuildControl& control = {}) const;
  /// Gives up what is being built; the model is then declared as what serves. See
  /// journal::cancel_rebuild().
  bool cancel(std::string_view name) const;
  /// Sets how the model is indexed, from now on and by every process.
  void configure(std::string_view name, const IndexParameters& parameters) const;

 private:
  journal::ProjectionSite site() const;

  Access access_;
};

}  // namespace holdfast
