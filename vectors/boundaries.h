#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::vectors {

/// How good a place is to cut a text, the best last.
enum class Boundary : std::uint8_t {
  character,
  word,       ///< white space is before it
  sentence,   ///< a sentence or line has ended
  paragraph,  ///< there is an empty line before it
};

/// An extended grapheme cluster.
struct CharacterStart {
  std::size_t at;  ///< in bytes
  Boundary kind;   ///< of a cut in front of it
  bool space;      ///< it is white space
};

/// The characters of well-formed text, and one more for its end. A boundary behind white space
/// takes that in, so it is where something to read begins.
std::vector<CharacterStart> find_boundaries(std::string_view text);

}  // namespace holdfast::vectors
