#include <holdfast/core/error.h>

#include "index_core.h"

namespace holdfast::vectors {

IndexStatus VectorIndex::Core::status() {
  IndexStatus status{.model = model_};
  std::shared_ptr<const Serving> serving;
  SegmentIdentity identity;
  {
    const auto snapshot = site_->database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    const ServingState state = read_serving(transaction, space_, model_);
    status.generation = state.generation;
    status.parameters = IndexParameters::parse(JsonObject::trusted(state.options));
    if (!site_->options.enabled) status.state = IndexState::off;
    if (state.generation == 0) return status;
    serving = serving_at(transaction, state);
    status.stored = count_vectors(transaction, serving->of());
    identity = identity_of(transaction, *serving, status.parameters);
    describe_index(status, state, transaction);
  }
  describe_file(status, identity);
  return status;
}

void VectorIndex::Core::describe_index(IndexStatus& status, const ServingState& state,
                                       storage::Transaction& transaction) const {
  std::shared_lock lock(index_);
  const bool is_there = loaded_.live && loaded_.serving->is_of(state);
  if (is_there) {
    const LiveIndex& live = *loaded_.live;
    status.vectors = live.live();
    status.tail = live.tail_live();
    status.tombstones = live.dead();
    status.strays = live.segment().strays().size();
    status.bytes = live.bytes();
    if (status.vectors > 0) {
      status.bytes_per_vector =
          static_cast<double>(status.bytes) / static_cast<double>(status.vectors);
    }
    status.cursor = live.cursor();
    status.behind = count_changes(transaction, loaded_.serving->of(), live.cursor());
  }
  lock.unlock();
  const std::lock_guard guard(notes_);
  status.building_done = is_building_ ? building_done_.load() : 0;
  status.last_error = last_error_.empty() ? file_error_ : last_error_;
  if (status.state == IndexState::off) return;
  if (is_there) {
    status.state = IndexState::ready;
  } else if (is_building_) {
    status.state = IndexState::building;
  } else if (too_large_ && too_large_->is_of(state)) {
    status.state = IndexState::too_large;
  }
}

void VectorIndex::Core::describe_file(IndexStatus& status, const SegmentIdentity& identity) const {
  if (!site_->folder) return;
  status.file = site_->folder->path_of(identity.key).string();
  const FileLook look = look_at_file(status.file, identity);
  status.is_file_usable = look.is_usable;
  status.file_cursor = look.cursor;
  status.file_bytes = look.bytes;
  status.file_refusal = look.refusal;
  const std::lock_guard guard(notes_);
  // Behind the header it was read once, or not at all.
  if (look.is_usable && !file_refusal_.empty()) {
    status.is_file_usable = false;
    status.file_refusal = file_refusal_;
  }
}

void VectorIndex::Core::load() {
  const Working working(*this);
  do_work([] { return true; });
  take_in_all();
}

void VectorIndex::Core::unload() {
  Loaded gone;
  const std::lock_guard taking_in(taking_in_);
  {
    const std::unique_lock lock(index_);
    std::swap(loaded_, gone);
  }
  filters_.clear();
  const std::lock_guard guard(notes_);
  too_large_.reset();
  may_load_at_once_ = true;
  try_again_at_ = std::chrono::microseconds{0};
}

void VectorIndex::Core::wait() { site_->worker.wait(*this); }

IndexCompaction VectorIndex::Core::compact() {
  const GoOn always = [] { return true; };
  IndexCompaction done;
  const Working working(*this);
  do_work(always);
  take_in_all();
  const auto target = find_target();
  if (!target) throw Unavailable("model " + model_ + " has no vectors yet");
  const auto look = [&] {
    const std::shared_lock lock(index_);
    struct {
      std::uint64_t vectors = 0, dead = 0, tail = 0, bytes = 0;
    } seen;
    if (loaded_.live) {
      const LiveIndex& live = *loaded_.live;
      seen = {live.live(), live.dead(), live.tail_live(), live.bytes()};
    }
    return seen;
  };
  const auto before = look();
  if (before.dead > 0) {
    build(*target, always, false);
  } else if (before.tail > 0) {
    fold_tail(*target, always);
  }
  const auto after = look();
  std::shared_ptr<const Segment> segment;
  {
    const std::shared_lock lock(index_);
    if (loaded_.live) segment = loaded_.live->shared_segment();
  }
  if (segment) write_file(*target, *segment);
  done.vectors = after.vectors;
  done.dropped = before.dead - std::min(before.dead, after.dead);
  done.index_bytes_before = before.bytes;
  done.index_bytes = after.bytes;
  if (site_->folder && site_->writes_files) {
    done.files_removed = remove_orphans(site_->database, *site_->folder);
  }
  return done;
}

void VectorIndex::Core::prepare(const journal::Generation& generation, const GoOn& go_on) {
  if (!site_->folder || !site_->options.enabled) return;
  const Target target{.serving = describe(generation),
                      .parameters = IndexParameters::parse(generation.options),
                      .options = generation.options.text()};
  const auto segment = make_segment(target, go_on);
  if (segment) keep_file(target, *segment);
}

}  // namespace holdfast::vectors
