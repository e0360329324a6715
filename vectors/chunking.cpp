#include <holdfast/vectors/chunking.h>

#include <algorithm>
#include <string>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>

#include "boundaries.h"

namespace holdfast {

namespace {
constexpr std::int64_t kChunkCharsMax = 1'048'576;
}  // namespace

void check_chunking(const Chunking& chunking) {
  if (chunking.chunk_chars < 0 || chunking.chunk_chars > kChunkCharsMax) {
    throw InvalidArgument("chunk_chars", std::to_string(chunking.chunk_chars),
                          "be 0 to 1,048,576");
  }
  if (chunking.overlap_chars < 0 || chunking.overlap_chars > chunking.chunk_chars / 2) {
    throw InvalidArgument("overlap_chars", std::to_string(chunking.overlap_chars),
                          "be 0 to half of chunk_chars");
  }
}

namespace vectors {
namespace {

/// A text's characters by number; a cut at `i` is before character `i`.
class Chunker {
 public:
  Chunker(std::string_view text, const Chunking& chunking)
      : text_(text),
        boundaries_(find_boundaries(text)),
        chunk_chars_(chunking.chunk_chars == 0
                         ? text.size() + 1
                         : static_cast<std::size_t>(chunking.chunk_chars)),
        overlap_chars_(static_cast<std::size_t>(chunking.overlap_chars)) {}

  std::vector<std::string_view> split() {
    const std::size_t end = without_space_behind(count());
    std::size_t start = without_space_before(0, end);
    while (start < end) {
      const std::size_t cut = end - start <= chunk_chars_ ? end : best_cut(start);
      add(start, without_space_behind(cut));
      start = cut == end ? end : without_space_before(next_start(cut), end);
    }
    return std::move(chunks_);
  }

 private:
  std::size_t count() const { return boundaries_.size() - 1; }

  /// The last of the best boundaries in the second half of the characters from `start`.
  std::size_t best_cut(std::size_t start) const {
    std::size_t best = without_space_before(start + chunk_chars_, count());
    for (std::size_t at = best - 1; at > start + chunk_chars_ / 2; --at) {
      if (boundaries_[at].kind > boundaries_[best].kind) best = at;
    }
    return best;
  }

  /// Where the overlap begins: with a word when there is one, and never at the cut's own chunk.
  std::size_t next_start(std::size_t cut) const {
    const std::size_t earliest = cut - overlap_chars_;
    for (std::size_t at = earliest; at < cut; ++at) {
      if (boundaries_[at].kind >= Boundary::word) return at;
    }
    return earliest;
  }

  std::size_t without_space_before(std::size_t at, std::size_t end) const {
    while (at < end && boundaries_[at].space) ++at;
    return at;
  }
  std::size_t without_space_behind(std::size_t end) const {
    while (end > 0 && boundaries_[end - 1].space) --end;
    return end;
  }

  void add(std::size_t start, std::size_t end) {
    if (chunks_.size() == kChunksMax) {
      throw InvalidArgument("chunk_chars", std::to_string(chunk_chars_),
                            "be larger: a text of " + std::to_string(count()) +
                                " characters has more than 4,096 chunks");
    }
    chunks_.push_back(text_.substr(boundaries_[start].at,
                                   boundaries_[end].at - boundaries_[start].at));
  }

  std::string_view text_;
  std::vector<CharacterStart> boundaries_;
  std::size_t chunk_chars_;
  std::size_t overlap_chars_;
  std::vector<std::string_view> chunks_;
};

}  // namespace

std::vector<std::string_view> split_into_chunks(std::string_view text, const Chunking& chunking) {
  check_chunking(chunking);
  if (!core::is_text(text)) {
    throw InvalidArgument("text", std::string(text.substr(0, 80)), "be UTF-8 without U+0000");
  }
  return Chunker(text, chunking).split();
}

}  // namespace vectors
}  // namespace holdfast
