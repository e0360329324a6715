#include "http_reply.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <curl/curl.h>
#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>

namespace holdfast::vectors {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw EmbeddingUnavailable("the answer cannot be used: " + why);
}

Embedding read_embedding(const json& item, std::size_t dimension) {
  if (!item.contains("embedding") || !item["embedding"].is_array()) {
    refuse("an element of `data` has no array `embedding`");
  }
  const json& components = item["embedding"];
  if (components.size() != dimension) {
    throw Unavailable("its vectors have " + std::to_string(components.size()) +
                      " components, and the model is declared with " + std::to_string(dimension));
  }
  Embedding vector;
  vector.reserve(dimension);
  for (const json& component : components) {
    if (!component.is_number()) {
      refuse(std::string("a component of a vector is of type ") + component.type_name());
    }
    const auto value = component.get<double>();
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
      refuse("a component of a vector is beyond single precision");
    }
    vector.push_back(static_cast<float>(value));
  }
  return vector;
}

/// Where in the order of the texts the answer's vector number `place` belongs.
std::size_t index_of(const json& item, std::size_t place, std::size_t texts) {
  if (!item.contains("index")) return place;
  const json& index = item["index"];
  if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= texts) {
    refuse("an `index` is not one of 0 to " + std::to_string(texts - 1));
  }
  return index.get<std::size_t>();
}

/// What is nested deeper than any answer is left out, or a small answer could take much memory.
json parse(const std::string& body) {
  constexpr int kDepthMax = 16;
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth <= kDepthMax; };
  return json::parse(body, shallow, false);
}

/// The string that is the value or that it has at one of the places where a message may be.
std::string message_in(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && !value.empty()) return message_in(value.front());
  if (!value.is_object()) return "";
  for (const char* member : {"error", "message", "detail", "msg"}) {
    if (!value.contains(member)) continue;
    std::string text = message_in(value[member]);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

std::vector<Embedding> read_embeddings(const std::string& body, std::size_t texts,
                                       std::size_t dimension) {
  const json answer = parse(body);
  if (answer.is_discarded()) refuse("it is not JSON");
  if (!answer.is_object() || !answer.contains("data") || !answer["data"].is_array()) {
    refuse("it has no array `data`, but says: " + message_of_failure(body));
  }
  const json& items = answer["data"];
  if (items.size() != texts) {
    refuse("it has " + std::to_string(items.size()) +
           (items.size() == 1 ? " vector for " : " vectors for ") + std::to_string(texts) +
           (texts == 1 ? " text" : " texts"));
  }
  std::vector<Embedding> vectors(texts);
  for (std::size_t place = 0; place < texts; ++place) {
    const std::size_t index = index_of(items[place], place, texts);
    if (!vectors[index].empty()) refuse("two vectors are for one text");
    vectors[index] = read_embedding(items[place], dimension);
  }
  return vectors;
}

std::string message_of_failure(const std::string& body) {
  const json answer = parse(body);
  return answer.is_discarded() ? body : message_in(answer);
}

EmbeddingUnavailable::Wait parse_retry_after(const std::string& header, core::Clock& clock) {
  constexpr std::size_t kDigitsMax = 9;
  const bool digits = std::all_of(header.begin(), header.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (header.empty() || (digits && header.size() > kDigitsMax)) return std::nullopt;
  if (digits) return std::chrono::seconds(std::stol(header));
  const std::time_t date = curl_getdate(header.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const Timestamp at{std::chrono::seconds(date)};
  return std::max(std::chrono::microseconds{0}, at - clock.now());
}

}  // namespace holdfast::vectors
