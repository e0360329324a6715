#include <holdfast/vectors/given_vectors.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <nlohmann/json.hpp>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>

#include "dimension.h"

namespace holdfast {
namespace {

using nlohmann::json;

/// What indexes compute from two vectors does not overflow up to here.
constexpr double kSquaresMax = 1e37;
constexpr std::size_t kGivenMax = 64;  ///< lists of one row, as projections of one space

std::string at(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

Embedding parse_vector(const std::string& field, const json& value) {
  if (!value.is_array()) throw InvalidArgument(field, value.dump(), "be an array of numbers");
  Embedding vector;
  vector.reserve(value.size());
  for (const json& component : value) {
    if (!component.is_number()) {
      throw InvalidArgument(at(field, vector.size()), component.dump(), "be a number");
    }
    vector.push_back(component.get<float>());
  }
  return vector;
}

std::vector<Embedding> parse_vectors(const JsonMember& member) {
  const json value = json::parse(member.value);
  if (!value.is_array()) {
    throw InvalidArgument(member.key, std::string(member.value), "be an array of vectors");
  }
  std::vector<Embedding> list;
  for (const json& one : value) list.push_back(parse_vector(at(member.key, list.size()), one));
  return list;
}

std::uint64_t generation_field(const JsonMember& member) {
  const auto number = core::integer_field(member);
  if (number < 1) throw InvalidArgument(member.key, std::to_string(number), "be 1 or more");
  return static_cast<std::uint64_t>(number);
}

void check_components(std::string_view field, std::span<const float> vector) {
  double squares = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (!std::isfinite(vector[i])) {
      throw InvalidArgument(at(field, i), std::to_string(vector[i]), "be a finite number");
    }
    squares += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
  }
  if (squares > kSquaresMax) {
    std::array<char, 32> shown{};
    std::snprintf(shown.data(), shown.size(), "%.7g", squares);
    throw InvalidArgument(std::string(field), shown.data(),
                          "have components whose squares sum to at most 1e37");
  }
}

std::string hex_digest(std::string_view bytes) {
  const auto digest = core::sha256(bytes);
  return core::to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

static_assert(std::endian::native == std::endian::little,
              "vectors are stored as little-endian floats, and read as they are");

}  // namespace

GivenVectors GivenVectors::parse(const JsonObject& document) {
  GivenVectors given;
  core::apply_fields(
      document,
      {{"model", [&](const JsonMember& m) { given.model = core::string_field(m); }},
       {"vectors", [&](const JsonMember& m) { given.vectors = parse_vectors(m); }},
       {"generation", [&](const JsonMember& m) { given.generation = generation_field(m); }}});
  return given;
}

void check_given_vectors(std::string_view field, std::span<const GivenVectors> given) {
  if (given.size() > kGivenMax) {
    throw InvalidArgument(std::string(field), std::to_string(given.size()), "be at most 64");
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string place = at(field, i);
    if (!given[i].model.empty()) (void)core::check_name(place + ".model", given[i].model);
    for (std::size_t k = 0; k < given[i].vectors.size(); ++k) {
      const std::string name = at(place + ".vectors", k);
      const std::size_t dimension = given[i].vectors[k].size();
      if (dimension < 1 || dimension > vectors::kDimensionMax) {
        throw InvalidArgument(name, std::to_string(dimension), "have 1 to 8,192 components");
      }
      check_components(name, given[i].vectors[k]);
    }
    if (given[i].vectors.empty()) {
      throw InvalidArgument(place + ".vectors", "0", "be at least one");
    }
  }
}

std::string text_of(std::span<const GivenVectors> given) {
  std::string text;
  for (const GivenVectors& one : given) {
    text += std::to_string(one.model.size()) + ":" + one.model + "/" +
            (one.generation ? std::to_string(*one.generation) : "any");
    for (const Embedding& vector : one.vectors) {
      text += "/" + std::to_string(vector.size());
    }
    text += "=" + hex_digest(vectors::pack(one.vectors)) + "\n";
  }
  return text;
}

namespace vectors {

void check_vector(std::string_view field, std::span<const float> vector, std::size_t dimension) {
  if (vector.size() != dimension) {
    throw InvalidArgument(std::string(field), std::to_string(vector.size()),
                          "have as many components as the model has dimensions, " +
                              std::to_string(dimension));
  }
  check_components(field, vector);
}

std::string pack(std::span<const Embedding> vectors) {
  const auto dimension = static_cast<std::uint32_t>(vectors.empty() ? 0 : vectors[0].size());
  std::string packed(reinterpret_cast<const char*>(&dimension), sizeof dimension);
  packed.reserve(packed.size() + vectors.size() * dimension * sizeof(float));
  for (const Embedding& vector : vectors) {
    packed.append(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
  }
  return packed;
}

Packed open_packed(std::string_view packed) {
  std::uint32_t dimension = 0;
  if (packed.size() > sizeof dimension) {
    std::memcpy(&dimension, packed.data(), sizeof dimension);
    packed.remove_prefix(sizeof dimension);
    const std::size_t bytes = dimension * sizeof(float);
    if (bytes > 0 && packed.size() % bytes == 0) return {dimension, packed};
  }
  throw Corrupt("packed vectors of dimension " + std::to_string(dimension) + " have " +
                std::to_string(packed.size()) + " bytes");
}

std::vector<Embedding> unpack(std::string_view packed) {
  const Packed open = open_packed(packed);
  const std::size_t bytes = open.dimension * sizeof(float);
  std::vector<Embedding> list;
  for (std::size_t from = 0; from < open.components.size(); from += bytes) {
    Embedding vector(open.dimension);
    std::memcpy(vector.data(), open.components.data() + from, bytes);
    list.push_back(std::move(vector));
  }
  return list;
}

std::string pack_for(std::string_view field, const Model& model, std::string_view text,
                     std::span<const Embedding> vectors) {
  const std::size_t chunks = split_into_chunks(text, model.chunking).size();
  if (vectors.size() != chunks) {
    throw InvalidArgument(std::string(field), std::to_string(vectors.size()),
                          "be " + std::to_string(chunks) +
                              ": one for each chunk that model " + model.name +
                              " makes of the row's text");
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    check_vector(at(field, i), vectors[i], static_cast<std::size_t>(model.dimension));
  }
  return pack(vectors);
}

}  // namespace vectors
}  // namespace holdfast
