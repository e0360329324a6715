#pragma once

// Thread safety: values and functions without state; any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/json_text.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/model.h>

namespace holdfast {

/// Vectors of a row that its writer brings along, so that none need be made: stored with the row,
/// in the same transaction.
struct GivenVectors {
  std::string model;               ///< empty: the space's default
  std::vector<Embedding> vectors;  ///< one for each chunk of the row's text, in their order
  /// Of the model, as read from its status: Conflict when it is no longer written to. Absent: the
  /// one that serves, and one that is being built when it embeds alike.
  std::optional<std::uint64_t> generation{};
  bool operator==(const GivenVectors&) const = default;

  /// {"model":...,"vectors":[[...],...],"generation":...}. Throws InvalidArgument.
  static GivenVectors parse(const JsonObject& document);
};

/// Throws InvalidArgument for lists that no model takes: none, or with components that are not
/// finite. The field begins with `field`: "vectors[0].vectors[2][17]".
void check_given_vectors(std::string_view field, std::span<const GivenVectors> given);
/// A text in which any two lists differ that give different things; "" for none.
std::string text_of(std::span<const GivenVectors> given);

namespace vectors {

/// A vector that a model of that dimension takes: as long, every component finite, its squares
/// summing to at most 1e37. Zero vectors are vectors. Throws InvalidArgument(field).
void check_vector(std::string_view field, std::span<const float> vector, std::size_t dimension);

/// Vectors of one dimension in one text: their dimension in four bytes, then their components as
/// float32, all little-endian.
std::string pack(std::span<const Embedding> vectors);
/// The vectors' dimension, and their components one vector behind the other. Throws Corrupt for
/// what pack() would not have made.
struct Packed {
  std::size_t dimension = 0;
  std::string_view components;  ///< into what was packed
};
Packed open_packed(std::string_view packed);
std::vector<Embedding> unpack(std::string_view packed);

/// The packed form of vectors given for that text. Throws InvalidArgument unless they are as many
/// as the text has chunks, each of the model's dimension.
std::string pack_for(std::string_view field, const Model& model, std::string_view text,
                     std::span<const Embedding> vectors);

}  // namespace vectors
}  // namespace holdfast
