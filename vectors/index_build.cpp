#include <algorithm>
#include <filesystem>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>

#include "index_core.h"

namespace holdfast::vectors {
namespace {

/// A quarter of the slots is dead: walking through them costs more than it should.
bool is_mostly_waste(const LiveIndex& live) {
  constexpr std::size_t kSlotsMin = 256;
  return live.size() >= kSlotsMin && live.dead() * 4 > live.size();
}

bool keeps_floats(const IndexParameters& parameters, std::uint64_t vectors) {
  return parameters.form == IndexForm::floats ||
         vectors <= static_cast<std::uint64_t>(parameters.exact_max);
}

bool has_graph(const IndexParameters& parameters, std::uint64_t vectors) {
  return vectors > static_cast<std::uint64_t>(parameters.exact_max);
}

/// What an index of so many vectors takes in memory, about.
std::uint64_t bytes_to_be(const IndexParameters& parameters, std::size_t dimension,
                          std::uint64_t vectors) {
  constexpr std::uint64_t kBytesBeside = sizeof(Member) + sizeof(Factors) + sizeof(Slot) + 12;
  const std::uint64_t component = keeps_floats(parameters, vectors) ? sizeof(float) : 1;
  std::uint64_t bytes = dimension * component + kBytesBeside;
  if (has_graph(parameters, vectors)) {
    bytes += static_cast<std::uint64_t>(parameters.m) * 2 * sizeof(std::int32_t) * 17 / 16 + 12;
  }
  return bytes * vectors;
}

}  // namespace

bool VectorIndex::Core::needs_fold(const LiveIndex& live) const {
  const std::size_t tail_max = site_->options.tail_max + live.segment().size() / 100;
  return live.tail_live() >= tail_max || is_mostly_waste(live);
}

/// Made for many more, or many fewer, vectors than there are now.
bool VectorIndex::Core::needs_other_form(const Loaded& loaded) const {
  const bool is_large = has_graph(loaded.parameters, loaded.live->live());
  if (is_large || loaded.live->segment().graph() == nullptr) {
    return is_large != (loaded.live->segment().graph() != nullptr);
  }
  return !has_graph(loaded.parameters, loaded.live->live() * 2);
}

/// With index_ held.
bool VectorIndex::Core::has_work(const ServingState& state) const {
  if (!site_->options.enabled) return false;
  {
    const std::lock_guard guard(notes_);
    if (too_large_ && too_large_->is_of(state)) return false;
  }
  if (!loaded_.live || !loaded_.serving->is_of(state)) return true;
  return loaded_.options != state.options || needs_fold(*loaded_.live) ||
         needs_other_form(loaded_);
}

/// With notes_ held.
bool VectorIndex::Core::may_try() const {
  return site_->environment.clock.elapsed() >= try_again_at_;
}

void VectorIndex::Core::note_failure(const std::string& what) {
  constexpr std::chrono::seconds kPauseMin{1};
  constexpr unsigned kDoublingsMax = 6;
  core::log()->warn("the index of model {} of space {} could not be kept up: {}", model_, space_,
                    what);
  const std::lock_guard guard(notes_);
  last_error_ = what;
  try_again_at_ = site_->environment.clock.elapsed() + kPauseMin * (1U << failures_);
  failures_ = std::min(failures_ + 1, kDoublingsMax);
}

void VectorIndex::Core::work(const GoOn& go_on) noexcept {
  if (is_working_here()) return;
  try {
    const Working working(*this);
    do_work(go_on);
    const std::lock_guard guard(notes_);
    failures_ = 0;
    last_error_.clear();
  } catch (const NotFound&) {
    unload();  // the space or the model is gone
  } catch (const std::exception& error) {
    note_failure(error.what());
  }
  const std::lock_guard guard(notes_);
  is_building_ = false;
}

std::optional<VectorIndex::Core::Target> VectorIndex::Core::find_target() {
  const auto snapshot = site_->database.snapshot();
  storage::Transaction& transaction = snapshot->transaction();
  const ServingState state = read_serving(transaction, space_, model_);
  if (state.generation == 0) return std::nullopt;
  Target target{.serving = serving_at(transaction, state),
                .parameters = {},
                .options = state.options};
  target.parameters = IndexParameters::parse(target.serving->generation.options);
  return target;
}

void VectorIndex::Core::do_work(const GoOn& go_on) {
  const auto target = find_target();
  if (!target || !site_->options.enabled) return;
  bool is_other = false;
  bool is_to_be_folded = false;
  {
    const std::shared_lock lock(index_);
    is_other = !loaded_.live || loaded_.options != target->options ||
               loaded_.serving->generation.number != target->serving->generation.number ||
               loaded_.serving->created_at_us != target->serving->created_at_us ||
               needs_other_form(loaded_);
    is_to_be_folded = !is_other && needs_fold(*loaded_.live);
  }
  if (is_other) build(*target, go_on, true);
  if (is_to_be_folded) fold_tail(*target, go_on);
}

void VectorIndex::Core::build(const Target& target, const GoOn& go_on, bool may_load) {
  {
    const std::lock_guard guard(notes_);
    is_building_ = true;
  }
  building_done_ = 0;
  auto segment = may_load ? load_file(target) : nullptr;
  const bool is_made = segment == nullptr;
  if (is_made) segment = make_segment(target, go_on);
  if (!segment) return;
  swap_in(segment, target);
  if (is_made) keep_file(target, *segment);
}

bool VectorIndex::Core::is_file_doubted() const {
  const std::lock_guard guard(notes_);
  return is_file_doubted_;
}

bool VectorIndex::Core::may_load_at_once() const {
  const std::lock_guard guard(notes_);
  return may_load_at_once_ && site_->folder && site_->options.enabled && !is_working_here();
}

/// The first search loads the file when there is one, since that is soon done; meanwhile others
/// search the rows.
void VectorIndex::Core::load_at_once() noexcept {
  if (!may_load_at_once()) return;
  {
    const std::lock_guard guard(notes_);
    may_load_at_once_ = false;
  }
  try {
    const Working working(*this, std::try_to_lock);
    if (!working) return;
    const auto target = find_target();
    if (!target) return;
    if (auto segment = load_file(*target)) swap_in(std::move(segment), *target);
  } catch (const NotFound&) {
    // The search says so.
  } catch (const std::exception& error) {
    note_failure(error.what());
  }
}

std::shared_ptr<const Segment> VectorIndex::Core::load_file(const Target& target) {
  if (!site_->folder || is_file_doubted()) return nullptr;
  SegmentIdentity identity;
  std::uint64_t last = 0;
  {
    const auto snapshot = site_->database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    identity = identity_of(transaction, *target.serving, target.parameters);
    last = last_change(transaction, target.serving->of());
  }
  std::error_code error;
  const bool is_there = std::filesystem::exists(site_->folder->path_of(identity.key), error);
  if (!is_there && !error) return nullptr;
  std::string refusal;
  auto segment = check_file(site_->folder->load(identity), target, last, refusal);
  const std::lock_guard guard(notes_);
  file_refusal_ = refusal;
  return segment;
}

std::shared_ptr<const Segment> VectorIndex::Core::check_file(LoadedSegment loaded,
                                                             const Target& target,
                                                             std::uint64_t last,
                                                             std::string& refusal) const {
  auto* const usable = std::get_if<std::unique_ptr<const Segment>>(&loaded);
  if (usable == nullptr) {
    refusal = std::get<NotUsable>(loaded).why;
    return nullptr;
  }
  std::shared_ptr<const Segment> segment = std::move(*usable);
  if (!has_graph(target.parameters, segment->live() * 2)) {
    refusal = "so few vectors are compared one by one";
  } else if (static_cast<std::uint64_t>(segment->cursor()) > last) {
    refusal = "it is ahead of the database";
  } else if (segment->kinds() != target.serving->kinds) {
    refusal = "it is of other kinds of rows";
  } else if (segment->bytes() > site_->options.bytes_max) {
    refusal = "it needs more memory than the index may have";
  }
  return refusal.empty() ? segment : nullptr;
}

/// Null when it would be too large, or was stopped.
std::shared_ptr<const Segment> VectorIndex::Core::make_segment(const Target& target,
                                                               const GoOn& go_on) {
  const Serving& serving = *target.serving;
  std::optional<Contents> contents;
  {
    // However long: the log cannot shrink meanwhile, but reading is most of a second per million.
    const auto snapshot = site_->database.snapshot(storage::ReaderAge::unbounded);
    storage::Transaction& transaction = snapshot->transaction();
    const std::uint64_t count = count_vectors(transaction, serving.of());
    if (bytes_to_be(target.parameters, serving.dimension(), count) > site_->options.bytes_max) {
      const std::lock_guard guard(notes_);
      too_large_ = target.serving;
      return nullptr;
    }
    contents.emplace(
        Contents{.kinds = serving.kinds,
                 .members = {},
                 .array = VectorArray(serving.dimension(), serving.model->metric,
                                      keeps_floats(target.parameters, count) ? Form::floats
                                                                             : Form::codes),
                 .cursor = static_cast<std::int64_t>(last_change(transaction, serving.of()))});
    contents->members.reserve(count);
    contents->array.reserve(count);
    bool is_stopped = false;
    each_vector(transaction, serving.of(), [&](const StoredVector& stored) {
      const auto kind = find_kind(serving.kinds, stored.kind);
      if (!kind) throw Corrupt("vectors of a kind that the model does not draw from");
      contents->members.push_back({*kind, stored.id, stored.chunk, stored.number});
      contents->array.add(stored.vector);
      is_stopped = contents->members.size() % 1024 == 0 && !go_on();
      return !is_stopped;
    });
    if (is_stopped) return nullptr;
  }
  SegmentBuild how{.graph = std::nullopt, .threads = site_->threads()};
  if (has_graph(target.parameters, contents->members.size())) {
    how.graph = graph_parameters(target.parameters);
  }
  how.control = [&](std::size_t done) {
    building_done_ = done;
    return go_on();
  };
  return build_segment(std::move(*contents), how);
}

void VectorIndex::Core::fold_tail(const Target& target, const GoOn& go_on) {
  std::shared_ptr<const Segment> old;
  std::optional<Contents> tail;
  std::vector<std::uint64_t> dead;
  {
    const std::lock_guard taking_in(taking_in_);
    if (!loaded_.live) return;
    old = loaded_.live->shared_segment();
    tail = loaded_.live->tail_contents();
    dead = loaded_.live->dead_words();
  }
  site_->environment.faults.at("index.fold");
  SegmentBuild how{.graph = std::nullopt, .threads = site_->threads()};
  if (old->graph() != nullptr) how.graph = graph_parameters(target.parameters);
  how.control = [&](std::size_t) { return go_on(); };
  const auto is_live = [&](Slot slot) { return (dead[slot / 64] >> (slot % 64) & 1U) == 0; };
  std::shared_ptr<const Segment> folded = fold(*old, is_live, *tail, how);
  if (!folded) return;
  if (folded->bytes() > site_->options.bytes_max) {
    unload();
    const std::lock_guard guard(notes_);
    too_large_ = target.serving;
    return;
  }
  swap_in(folded, target);
  constexpr std::chrono::seconds kBetweenFiles{60};
  const auto now = site_->environment.clock.elapsed();
  bool is_due = false;
  {
    const std::lock_guard guard(notes_);
    is_due = !written_at_ || now - *written_at_ >= kBetweenFiles;
  }
  if (is_due) keep_file(target, *folded);
}

/// Puts it in the place of what is there, once it has taken in what has changed since it was made.
void VectorIndex::Core::swap_in(std::shared_ptr<const Segment> segment, const Target& target) {
  constexpr std::size_t kAtOnce = 1024;
  Loaded next{.live = std::make_unique<LiveIndex>(std::move(segment)),
              .serving = target.serving,
              .parameters = target.parameters,
              .options = target.options};
  for (std::size_t taken = kAtOnce; taken == kAtOnce;) {
    const auto snapshot = site_->database.snapshot();
    const auto changed = read_changes(snapshot->transaction(), *target.serving,
                                      next.live->cursor(), kAtOnce);
    for (const SourceVectors& one : changed) next.live->take(one);
    taken = changed.size();
  }
  site_->environment.faults.at("index.swap");
  const std::lock_guard taking_in(taking_in_);
  {
    const std::unique_lock lock(index_);
    next.epoch = last_epoch_ + 1;
    last_epoch_ = next.epoch;
    std::swap(loaded_, next);
    commits_ = 0;
  }
  // What was there goes outside the lock.
  const std::lock_guard guard(notes_);
  too_large_.reset();
  may_load_at_once_ = false;
}

/// Perhaps by another process.
bool VectorIndex::Core::is_file_as_new(const SegmentIdentity& identity,
                                       const Segment& segment) const {
  const auto there = look_at_file(site_->folder->path_of(identity.key), identity);
  const std::lock_guard guard(notes_);
  return there.is_usable && !is_file_doubted_ && file_refusal_.empty() &&
         there.cursor >= static_cast<std::uint64_t>(segment.cursor());
}

/// Only what the database names is used: one that is put back to an earlier state, by a copy of it,
/// names an earlier file, or none, whatever its changes are numbered since.
void VectorIndex::Core::name_file(const Target& target, const Uuid& file,
                                  const Segment& segment) const {
  site_->environment.faults.at("index.name");
  site_->database.writer().submit(
      [&](storage::Transaction& transaction) {
        (void)journal::lock_space(transaction, space_);
        if (!journal::is_written(transaction, space_, target.serving->generation)) {
          return storage::Verdict::undo;
        }
        put_file(transaction, target.serving->of(), file,
                 static_cast<std::uint64_t>(segment.cursor()));
        return storage::Verdict::keep;
      },
      to_string(site_->environment.ids.next()));
}

/// The index does without it: what fails here is told, and tried again with the next.
void VectorIndex::Core::keep_file(const Target& target, const Segment& segment) {
  try {
    write_file(target, segment);
  } catch (const std::exception& error) {
    core::log()->warn("the index of model {} of space {} could not be kept in a file: {}", model_,
                      space_, error.what());
    const std::lock_guard guard(notes_);
    file_error_ = error.what();
  }
}

void VectorIndex::Core::write_file(const Target& target, const Segment& segment) {
  if (!site_->folder || !site_->writes_files || segment.graph() == nullptr) return;
  {
    const std::lock_guard guard(notes_);
    written_at_ = site_->environment.clock.elapsed();
  }
  site_->environment.faults.at("index.snapshot");
  SegmentIdentity identity;
  const Uuid file = site_->environment.ids.next();
  {
    const auto snapshot = site_->database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    if (is_file_as_new(identity_of(transaction, *target.serving, target.parameters), segment)) {
      return;
    }
    identity = identity_of(transaction, *target.serving, target.parameters, file);
  }
  const bool is_written = site_->folder->write(identity, segment);
  if (is_written) name_file(target, file, segment);
  {
    const std::lock_guard guard(notes_);
    file_refusal_ = is_written ? "" : "another process is writing it";
    if (is_written) is_file_doubted_ = false;
    file_error_.clear();
  }
  remove_orphans(site_->database, *site_->folder);
}

}  // namespace holdfast::vectors
