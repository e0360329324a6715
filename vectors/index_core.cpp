#include "index_core.h"

#include <algorithm>
#include <thread>

#include <spdlog/spdlog.h>

#include <holdfast/core/error.h>
#include <holdfast/core/log.h>
#include <holdfast/vectors/given_vectors.h>

#include "query_vectors.h"

namespace holdfast::vectors {
namespace {

/// Sources taken in under one lock.
constexpr std::size_t kTakeInMax = 256;
/// Changed sources that a search looks at one by one; with more, they are taken in first.
constexpr std::size_t kChangedMax = 1024;

}  // namespace

std::size_t VectorIndex::Site::threads() const {
  if (!options.background) return 1;
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

VectorIndex::Core::Core(std::shared_ptr<Site> site, std::string space, std::string model)
    : site_(std::move(site)), space_(std::move(space)), model_(std::move(model)) {}

SimilarAnswer VectorIndex::Core::search(const IndexQuery& query, const Matcher& matcher) {
  check_query(query);
  Asked asked{.query = query, .matcher = matcher};
  for (;;) {
    load_at_once();
    if (std::holds_alternative<QueryText>(query.to) && !asked.embedded) embed(asked);
    try {
      if (auto answer = attempt(asked)) return std::move(*answer);
    } catch (const IndexDiffers& error) {
      drop_index(error.what());
    }
  }
}

void VectorIndex::Core::embed(Asked& asked) {
  const std::string& text = std::get<QueryText>(asked.query.to);
  {
    const auto snapshot = site_->database.snapshot();
    const auto state = read_serving(snapshot->transaction(), space_, model_);
    asked.embedded_by = serving_at(snapshot->transaction(), state);
  }
  const auto embedder =
      embedding_projection(site_->registry).embedder(asked.embedded_by->generation.declaration);
  if (!embedder) {
    throw InvalidArgument("query", text,
                          "be a vector or a row: the vectors of model " + model_ +
                              " come with the writes, so that no text can be made one");
  }
  auto made = embedder->embed(std::span(&text, 1));
  if (made.size() != 1) throw Unavailable("the embedder of model " + model_ + " gave no vector");
  check_vector("query", made.front(), asked.embedded_by->dimension());
  asked.embedded = std::move(made.front());
}

/// Nothing: to be asked again.
std::optional<SimilarAnswer> VectorIndex::Core::attempt(Asked& asked) {
  take_in_if_moved();
  std::shared_ptr<KnownFilter> filter;
  std::optional<SimilarAnswer> found;
  bool asks_for_work = false;
  {
    std::shared_lock lock(index_);
    std::unique_lock<std::mutex> filter_lock;
    if (loaded_.live && !asked.matcher.key().empty()) {
      filter = filters_.find(asked.matcher.key());
      filter_lock = std::unique_lock(filter->mutex());
    }
    const auto snapshot = site_->database.snapshot();
    found = answer(asked, snapshot->transaction(), lock, filter.get(), filter_lock);
  }
  {
    const std::lock_guard guard(notes_);
    asks_for_work = is_wanted_ && may_try();
    if (asks_for_work) is_wanted_ = false;
  }
  if (asks_for_work) site_->worker.ask(shared_from_this());
  return found;
}

std::optional<SimilarAnswer> VectorIndex::Core::answer(
    Asked& asked, storage::Transaction& transaction, std::shared_lock<FairMutex>& lock,
    KnownFilter* filter, std::unique_lock<std::mutex>& filter_lock) {
  const ServingState state = read_serving(transaction, space_, model_);
  const auto serving = serving_at(transaction, state);
  if (asked.embedded && !asked.embedded_by->is_of(state)) {
    asked.embedded.reset();
    return std::nullopt;
  }
  SimilarAnswer answer{.model = model_,
                       .generation = serving->generation.number,
                       .seq = state.tail,
                       .pending = serving->is_told_by_watermark
                                      ? state.tail - std::min(state.tail, state.watermark)
                                      : 0};
  const SearchAt at{transaction, site_->registry, *serving, state, asked.matcher};
  const SearchFor what = what_to_find(at, asked.query, asked.embedded, answer.is_query_stale);
  if (has_work(state)) {
    const std::lock_guard guard(notes_);
    is_wanted_ = true;
  }
  const bool is_there = loaded_.live && loaded_.serving->is_of(state);
  if (!is_there && may_load_at_once()) return std::nullopt;
  const bool is_usable = is_there && (!asked.query.is_exact || loaded_.live->is_in_floats());
  FoundSources found;
  if (is_usable) {
    const auto changed = read_changes(transaction, *serving, loaded_.live->cursor(), kChangedMax);
    if (changed.size() == kChangedMax) {
      commits_ = 0;
      return std::nullopt;
    }
    MatchBits bits;
    if (filter != nullptr) {
      bits = filter->bits_at(transaction, asked.matcher, *serving, *loaded_.live, loaded_.epoch,
                             state.tail);
      filter_lock.unlock();
    }
    found = search_live(at, what, *loaded_.live, changed, bits);
  } else {
    if (filter_lock) filter_lock.unlock();
    lock.unlock();
    found = search_rows(at, what);
  }
  answer.searched = found.searched;
  answer.stale_excluded = found.stale_excluded;
  answer.items.reserve(found.hits.size());
  for (const Hit& hit : found.hits) {
    answer.items.push_back({.kind = serving->kinds[hit.member.kind],
                            .id = hit.member.id,
                            .chunk = hit.member.chunk,
                            .distance = hit.distance,
                            .is_stale = hit.is_stale});
  }
  return answer;
}

std::shared_ptr<const Serving> VectorIndex::Core::serving_at(storage::Transaction& transaction,
                                                             const ServingState& state) {
  if (state.generation == 0) {
    throw Unavailable("model " + model_ + " of space " + space_ +
                      " has no vectors yet: build it first, as `holdfast model create` does");
  }
  {
    const std::lock_guard guard(notes_);
    if (serving_ && serving_->is_of(state) &&
        serving_->generation.options.text() == state.options) {
      return serving_;
    }
  }
  const auto generation = journal::find_generation(transaction, space_, model_,
                                                   journal::GenerationState::serving);
  if (!generation) throw NotFound("model", model_);
  auto serving = describe(*generation);
  const std::lock_guard guard(notes_);
  if (!serving_ || !serving_->is_of(state)) may_load_at_once_ = true;
  return serving_ = std::move(serving);
}

std::shared_ptr<const Serving> VectorIndex::Core::describe(
    const journal::Generation& generation) const {
  auto serving = std::make_shared<Serving>();
  serving->space = space_;
  serving->generation = generation;
  serving->created_at_us = to_us(generation.created_at);
  serving->model = embedding_projection(site_->registry).model(generation.declaration);
  for (const ModelSource& source : serving->model->sources) serving->kinds.push_back(source.kind);
  std::sort(serving->kinds.begin(), serving->kinds.end());
  serving->is_told_by_watermark =
      embedding_projection(site_->registry).can_derive(generation.declaration);
  serving->ef_search =
      static_cast<std::size_t>(IndexParameters::parse(generation.options).ef_search);
  return serving;
}

void VectorIndex::Core::take_in_if_moved() {
  const std::uint64_t commits = site_->database.commits();
  if (commits_ == commits && commits != 0) return;
  std::unique_lock taking_in(taking_in_, std::defer_lock);
  // Whoever is at it need not be waited for: a search looks at what is missing itself.
  if (commits_ == 0) {
    taking_in.lock();
  } else if (!taking_in.try_lock()) {
    return;
  }
  if (!loaded_.live) return;
  while (take_in_some(commits)) {
  }
}

/// With taking_in_ held, by which nobody else changes what is loaded. False when that was all.
bool VectorIndex::Core::take_in_some(std::uint64_t commits) {
  std::vector<SourceVectors> changed;
  {
    const auto snapshot = site_->database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    if (loaded_.serving->is_of(read_serving(transaction, space_, model_))) {
      changed = read_changes(transaction, *loaded_.serving, loaded_.live->cursor(), kTakeInMax);
    }
  }
  if (!changed.empty()) {
    site_->environment.faults.at("index.take_in");
    const std::unique_lock lock(index_);
    try {
      for (const SourceVectors& one : changed) loaded_.live->take(one);
    } catch (...) {
      loaded_ = {};  // one of them may be half taken in
      throw;
    }
  }
  if (changed.size() == kTakeInMax) return true;
  commits_ = commits;
  return false;
}

void VectorIndex::Core::take_in_all() {
  const std::uint64_t commits = site_->database.commits();
  const std::lock_guard taking_in(taking_in_);
  while (loaded_.live && take_in_some(commits)) {
  }
}

void VectorIndex::Core::drop_index(const std::string& why) {
  core::log()->error("the index of model {} of space {} is made anew: {}", model_, space_, why);
  unload();
  const std::lock_guard guard(notes_);
  last_error_ = why;
  // The file is of the same vectors.
  is_file_doubted_ = true;
  may_load_at_once_ = false;
}

}  // namespace holdfast::vectors
