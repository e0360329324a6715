#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast::vectors {

/// The vectors in the body of an answer, in the order of the texts that were sent: `index` says
/// which is whose, and without it they are in order. Throws EmbeddingUnavailable for what is no
/// such answer, and Unavailable for vectors of another dimension.
std::vector<Embedding> read_embeddings(const std::string& body, std::size_t texts,
                                       std::size_t dimension);

/// What the body of a failure says to people: its message when it is JSON, which may hold the
/// texts in other places; else the body itself.
std::string message_of_failure(const std::string& body);

/// What a Retry-After header asks for, as seconds or as a date; absent for anything else.
EmbeddingUnavailable::Wait parse_retry_after(const std::string& header, core::Clock& clock);

}  // namespace holdfast::vectors
