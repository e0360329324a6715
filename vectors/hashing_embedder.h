#pragma once

#include <cstddef>

#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/embedder_spec.h>

namespace holdfast::vectors {

/// The embedder that needs no model. *Lexical*: it knows which words and parts of words two texts
/// share, and nothing of what they mean; "car" and "automobile" are strangers to it.
///
/// A text is brought to NFC and folded to one case. Its features are its words (runs of letters,
/// marks and digits) and the parts of gram_min to gram_max code points of each word between `<` and
/// `>`; where a script puts no spaces between words, its characters and pairs of neighbours. A
/// feature adds the square root of its count, a quarter of that for a part, to one component, with
/// a sign; both are the feature's hash. The sum has length 1; a text without words is all zero.
///
/// The same text gives the same bytes on every machine, for characters that its Unicode tables
/// know; vectors are kept, so nothing of this may change.
/// Thread safety: any number of calls at once.
class HashingEmbedder final : public Embedder {
 public:
  /// Throws InvalidArgument.
  HashingEmbedder(const HashingEmbedderSpec& spec, std::size_t dimension);
  std::vector<Embedding> embed(std::span<const std::string> texts) override;

 private:
  Embedding embed_one(const std::string& text) const;

  HashingEmbedderSpec spec_;
  std::size_t dimension_;
};

}  // namespace holdfast::vectors
