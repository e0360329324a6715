#include <holdfast/vectors/embedder_spec.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_fields.h>
#include <holdfast/core/limits.h>

#include "dimension.h"
#include "hashing_embedder.h"
#include "http_embedder.h"

namespace holdfast {
namespace {

constexpr std::int64_t kGramMin = 2;
constexpr std::int64_t kGramMax = 8;
constexpr std::chrono::milliseconds kTimeoutMax = std::chrono::minutes(10);
/// What an error shows in place of what may be a secret.
constexpr const char* kHidden = "(hidden)";

// --- reading ---

HashingEmbedderSpec parse_hashing(const JsonObject& document) {
  HashingEmbedderSpec spec;
  core::apply_fields(
      document,
      {{"type", [](const JsonMember&) {}},
       {"gram_min", [&](const JsonMember& m) { spec.gram_min = core::integer_field(m); }},
       {"gram_max", [&](const JsonMember& m) { spec.gram_max = core::integer_field(m); }}});
  return spec;
}

std::chrono::milliseconds milliseconds_field(const JsonMember& member) {
  return std::chrono::milliseconds(core::integer_field(member));
}

HttpEmbedderSpec parse_http(const JsonObject& document) {
  HttpEmbedderSpec spec;
  core::apply_fields(
      document,
      {{"type", [](const JsonMember&) {}},
       {"url", [&](const JsonMember& m) { spec.url = core::string_field(m); }},
       {"model", [&](const JsonMember& m) { spec.model = core::string_field(m); }},
       {"key_env", [&](const JsonMember& m) { spec.key_env = core::optional_string_field(m); }},
       {"send_dimension",
        [&](const JsonMember& m) { spec.send_dimension = core::boolean_field(m); }},
       {"timeout_ms", [&](const JsonMember& m) { spec.timeout = milliseconds_field(m); }}});
  return spec;
}

CallerEmbedderSpec parse_caller(const JsonObject& document) {
  CallerEmbedderSpec spec;
  core::apply_fields(
      document,
      {{"type", [](const JsonMember&) {}},
       {"name", [&](const JsonMember& m) { spec.name = core::optional_string_field(m); }}});
  return spec;
}

/// A key under any other name is not repeated in the error about it.
void refuse_secrets(const JsonObject& document) {
  for (const JsonMember& member : document.members()) {
    if (member.key == "key_env") continue;
    for (const char* word : {"key", "token", "secret", "auth", "pass"}) {
      if (member.key.find(word) == std::string::npos) continue;
      throw InvalidArgument(member.key, kHidden,
                            "not be given: key_env names the environment variable with the key");
    }
  }
}

EmbedderSpec parse_of_type(const std::string& type, const JsonObject& document) {
  if (type == "hashing") return parse_hashing(document);
  if (type == "http") return parse_http(document);
  if (type == "caller") return parse_caller(document);
  throw InvalidArgument("type", type, "be hashing, http or caller");
}

// --- writing ---

void write(core::JsonWriter& out, const HashingEmbedderSpec& spec) {
  out.string("type", "hashing");
  out.integer("gram_min", spec.gram_min).integer("gram_max", spec.gram_max);
}

void write(core::JsonWriter& out, const HttpEmbedderSpec& spec) {
  out.string("type", "http").string("url", spec.url).string("model", spec.model);
  if (spec.key_env) out.string("key_env", *spec.key_env);
  out.boolean("send_dimension", spec.send_dimension);
  out.integer("timeout_ms", spec.timeout.count());
}

void write(core::JsonWriter& out, const CallerEmbedderSpec& spec) {
  out.string("type", "caller");
  if (spec.name) out.string("name", *spec.name);
}

// --- judging ---

void check(const HashingEmbedderSpec& spec) {
  if (spec.gram_min == 0 && spec.gram_max == 0) return;
  if (spec.gram_min < kGramMin || spec.gram_min > kGramMax) {
    throw InvalidArgument("gram_min", std::to_string(spec.gram_min),
                          "be 2 to 8, or 0 along with gram_max");
  }
  if (spec.gram_max < spec.gram_min || spec.gram_max > kGramMax) {
    throw InvalidArgument("gram_max", std::to_string(spec.gram_max), "be gram_min to 8");
  }
}

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

bool has_part(const Url& url, CURLUPart part) {
  char* text = nullptr;
  const CURLUcode code = curl_url_get(url.get(), part, &text, 0);
  const bool there = code == CURLUE_OK && *text != '\0';
  curl_free(text);
  return there;
}

/// Users, passwords and queries left out.
std::string shown_url(const std::string& text) {
  const std::size_t end = text.find_first_of("?#");
  if (text.find('@') < end) return kHidden;
  return end == std::string::npos ? text : text.substr(0, end) + "?" + kHidden;
}

void check_url(const std::string& text) {
  const std::string shown = shown_url(text);
  const Url url(curl_url(), &curl_url_cleanup);
  const bool web = text.starts_with("http://") || text.starts_with("https://");
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' '; });
  const bool fits = web && plain && text.size() <= core::kNameBytesMax;
  if (!fits || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    throw InvalidArgument("url", shown,
                          "be an http:// or https:// URL, as in http://localhost:11434/v1");
  }
  if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD)) {
    throw InvalidArgument("url", kHidden,
                          "be without a user; a key goes into the variable that key_env names");
  }
  if (text.find_first_of("?#") != std::string::npos) {
    throw InvalidArgument("url", shown, "be without a query and a fragment");
  }
}

bool is_variable_name(const std::string& name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::all_of(name.begin(), name.end(), fits) && name.size() <= core::kNameBytesMax;
}

void check(const HttpEmbedderSpec& spec) {
  check_url(spec.url);
  (void)core::check_name("model", spec.model);
  if (spec.key_env && !is_variable_name(*spec.key_env)) {
    throw InvalidArgument("key_env", kHidden,
                          "be the name of an environment variable, as in OPENAI_API_KEY; the key "
                          "itself is not stored");
  }
  if (spec.timeout.count() < 1 || spec.timeout > kTimeoutMax) {
    throw InvalidArgument("timeout_ms", std::to_string(spec.timeout.count()), "be 1 to 600,000");
  }
}

void check(const CallerEmbedderSpec& spec) {
  if (spec.name) (void)core::check_name("name", *spec.name);
}

}  // namespace

EmbedderSpec parse_embedder_spec(const JsonObject& document) {
  refuse_secrets(document);
  std::optional<std::string> type;
  for (const JsonMember& member : document.members()) {
    if (member.key == "type") type = core::string_field(member);
  }
  if (!type) throw InvalidArgument("type", "", "be given: hashing, http or caller");
  EmbedderSpec spec = parse_of_type(*type, document);
  check_embedder_spec(spec);
  return spec;
}

JsonObject to_json(const EmbedderSpec& spec) {
  core::JsonWriter out;
  std::visit([&](const auto& kind) { write(out, kind); }, spec);
  return JsonObject::trusted(out.finish());
}

void check_embedder_spec(const EmbedderSpec& spec) {
  std::visit([](const auto& kind) { check(kind); }, spec);
}

namespace vectors {
namespace {

std::shared_ptr<Embedder> find_host(const CallerEmbedderSpec& spec, const Embedders& hosts) {
  if (!spec.name) return nullptr;
  const auto found = hosts.find(*spec.name);
  if (found != hosts.end() && found->second != nullptr) return found->second;
  std::string known;
  for (const auto& [name, embedder] : hosts) known += (known.empty() ? "" : ", ") + name;
  throw Unavailable("embedder: this program has none named '" + *spec.name + "'; it has " +
                    (known.empty() ? "none" : known));
}

}  // namespace

std::shared_ptr<Embedder> make_embedder(const EmbedderSpec& spec, std::size_t dimension,
                                        const Embedders& hosts, core::Environment& environment) {
  check_embedder_spec(spec);
  check_dimension(dimension);
  if (const auto* hashing = std::get_if<HashingEmbedderSpec>(&spec)) {
    return std::make_shared<HashingEmbedder>(*hashing, dimension);
  }
  if (const auto* http = std::get_if<HttpEmbedderSpec>(&spec)) {
    return std::make_shared<HttpEmbedder>(*http, dimension, environment.clock);
  }
  return find_host(std::get<CallerEmbedderSpec>(spec), hosts);
}

}  // namespace vectors
}  // namespace holdfast
