#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast {

/// How a long text is cut into the pieces that get a vector each. Characters are what a reader
/// takes for one: extended grapheme clusters (UAX #29).
struct Chunking {
  std::int64_t chunk_chars = 0;    ///< most characters of a chunk; 0: the whole text is one
  std::int64_t overlap_chars = 0;  ///< most characters that a chunk repeats, up to half of it
  bool operator==(const Chunking&) const = default;
};

/// Throws InvalidArgument.
void check_chunking(const Chunking& chunking);

namespace vectors {

/// Most chunks of one text.
inline constexpr std::size_t kChunksMax = 4096;

/// The chunks of a text, in its order, as views into it. They begin and end with something to read:
/// white space between them is in none, and a text without anything else has no chunk. A chunk ends
/// with a paragraph where its second half has such an end, else with a line or sentence, else with
/// a word, else behind any character. Throws InvalidArgument for more than kChunksMax chunks and
/// for text that is not UTF-8.
std::vector<std::string_view> split_into_chunks(std::string_view text, const Chunking& chunking);

}  // namespace vectors
}  // namespace holdfast
