#include "http_embedder.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/printable.h>

#include "http_connection.h"
#include "http_reply.h"

namespace holdfast::vectors {
namespace {

constexpr std::size_t kShownBytesMax = 200;
constexpr std::size_t kShortTextBytes = 4;  ///< what may be a word of any message
constexpr int kRedirectsMax = 3;
/// What a component may take, with white space to make it readable, and what is beside them.
constexpr std::size_t kComponentBytesMax = 64;
constexpr std::size_t kReplyBytesBeside = 1U << 20;

std::string endpoint_of(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with("/v1")) url += "/v1";
  return url + "/embeddings";
}

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  if (part.empty()) return;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size()) {
    text.replace(at, part.size(), by);
  }
}

/// One call: it knows what must not show in a message.
class EmbeddingCall {
 public:
  EmbeddingCall(const HttpEmbedderSpec& spec, std::size_t dimension, core::Clock& clock,
                std::span<const std::string> texts, std::stop_token stop)
      : spec_(spec),
        dimension_(dimension),
        clock_(clock),
        texts_(texts),
        stop_(std::move(stop)) {}

  std::vector<Embedding> run(ConnectionPool& connections) {
    HttpRequest request{.url = endpoint_of(spec_.url),
                        .key = read_key(),
                        .body = body(),
                        .timeout = spec_.timeout,
                        .reply_bytes_max = kReplyBytesBeside +
                                           kComponentBytesMax * dimension_ * texts_.size(),
                        .stop = stop_};
    key_ = request.key;
    for (int redirects = 0;; ++redirects) {
      const HttpReply reply = post(connections, request);
      if (reply.status < 300 || reply.status >= 400) return judge(reply);
      request.url = redirected(request.url, reply, redirects);
    }
  }

 private:
  std::string read_key() const {
    if (!spec_.key_env) return "";
    const char* value = std::getenv(spec_.key_env->c_str());
    const std::string_view key = value == nullptr ? "" : value;
    if (key.empty()) fail_setting("the environment variable " + *spec_.key_env + " is not set");
    for (const char c : key) {
      if (c > ' ' && c <= '~') continue;
      fail_setting("the environment variable " + *spec_.key_env +
                   " holds white space or other characters that no key has");
    }
    return std::string(key);
  }

  std::string body() const {
    std::string input = "[";
    for (const std::string& text : texts_) {
      if (!core::is_text(text)) {
        throw EmbeddingRefused(told("a text is not UTF-8 without U+0000"));
      }
      if (input.size() > 1) input += ',';
      core::append_json_string(input, text);
    }
    core::JsonWriter out;
    out.string("model", spec_.model).raw("input", input + ']');
    if (spec_.send_dimension) out.unsigned_integer("dimensions", dimension_);
    return out.finish();
  }

  HttpReply post(ConnectionPool& connections, const HttpRequest& request) const {
    try {
      return connections.post(request);
    } catch (const EmbeddingUnavailable& error) {
      throw EmbeddingUnavailable(told(error.what()));
    } catch (const Unavailable& error) {
      fail_setting(error.what());
    }
  }

  /// The same request goes to another address of the same server, and to no other: it would get
  /// the key and the texts.
  std::string redirected(const std::string& from, const HttpReply& reply, int redirects) const {
    const bool moved = reply.status == 301 || reply.status == 302 || reply.status == 307 ||
                       reply.status == 308;
    const std::string origin = origin_of(reply.location);
    if (!moved || origin.empty()) fail_setting("status " + std::to_string(reply.status));
    if (origin != origin_of(from)) {
      fail_setting("it redirects to " + origin + ", which is not followed; if that is right, "
                   "declare the model with that URL");
    }
    if (redirects == kRedirectsMax) fail_setting("it redirects again and again");
    return reply.location;
  }

  std::vector<Embedding> judge(const HttpReply& reply) const {
    if (reply.status >= 200 && reply.status < 300) return read(reply);
    const std::string said = message_of_failure(reply.body);
    const std::string message =
        "status " + std::to_string(reply.status) + (said.empty() ? "" : ": " + said);
    switch (reply.status) {
      case 400:
      case 413:
      case 422: throw EmbeddingRefused(told(message));
      case 408:
      case 425:
      case 429:
        throw EmbeddingUnavailable(told(message), parse_retry_after(reply.retry_after, clock_));
      default: break;
    }
    if (reply.status < 500) fail_setting(message);
    throw EmbeddingUnavailable(told(message), parse_retry_after(reply.retry_after, clock_));
  }

  std::vector<Embedding> read(const HttpReply& reply) const {
    try {
      return read_embeddings(reply.body, texts_.size(), dimension_);
    } catch (const EmbeddingUnavailable& error) {
      throw EmbeddingUnavailable(told(error.what()));
    } catch (const Unavailable& error) {
      fail_setting(error.what());
    }
  }

  [[noreturn]] void fail_setting(const std::string& message) const {
    throw Unavailable(told(message));
  }

  /// The message behind the endpoint's address, with nothing in it that must not show.
  std::string told(std::string message) const {
    replace_all(message, key_, "(key)");
    for (const std::string& text : texts_) {
      if (text.size() <= kShortTextBytes) continue;
      replace_all(message, text, "(text)");
      std::string escaped;
      core::append_json_string(escaped, text);
      replace_all(message, std::string_view(escaped).substr(1, escaped.size() - 2), "(text)");
    }
    return "embedder " + endpoint_of(spec_.url) + ": " + core::printable(message, kShownBytesMax);
  }

  const HttpEmbedderSpec& spec_;
  std::size_t dimension_;
  core::Clock& clock_;
  std::span<const std::string> texts_;
  std::stop_token stop_;
  std::string key_;
};

}  // namespace

HttpEmbedder::HttpEmbedder(HttpEmbedderSpec spec, std::size_t dimension, core::Clock& clock)
    : spec_(std::move(spec)),
      dimension_(dimension),
      clock_(clock),
      connections_(std::make_unique<ConnectionPool>()) {}

HttpEmbedder::~HttpEmbedder() = default;

std::vector<Embedding> HttpEmbedder::embed(std::span<const std::string> texts) {
  return embed_until(texts, {});
}

std::vector<Embedding> HttpEmbedder::embed_until(std::span<const std::string> texts,
                                                 const std::stop_token& stop) {
  if (texts.empty()) return {};
  return EmbeddingCall(spec_, dimension_, clock_, texts, stop).run(*connections_);
}

}  // namespace holdfast::vectors
