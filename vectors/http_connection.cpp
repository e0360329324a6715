#include "http_connection.h"

#include <algorithm>
#include <new>
#include <utility>

#include <curl/curl.h>

#include <holdfast/core/error.h>
#include <holdfast/core/version.h>
#include <holdfast/vectors/embedder.h>

namespace holdfast::vectors {
namespace {

constexpr std::size_t kIdleMax = 8;
constexpr std::chrono::milliseconds kConnectTimeoutMax{10'000};

void initialise_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw Unavailable(std::string("libcurl: ") + curl_easy_strerror(code));
}

class Headers {
 public:
  Headers() = default;
  ~Headers() { curl_slist_free_all(list_); }
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  void add(const std::string& line) {
    curl_slist* longer = curl_slist_append(list_, line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list_ = longer;
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

struct Received {
  std::string bytes;
  std::size_t bytes_max;
  bool too_long = false;
};

/// Called by libcurl, through which no exception may pass; less than was given ends the transfer.
std::size_t receive(const char* data, std::size_t, std::size_t size, void* target) noexcept {
  auto& received = *static_cast<Received*>(target);
  if (size > received.bytes_max - received.bytes.size()) {
    received.too_long = true;
    return 0;
  }
  try {
    received.bytes.append(data, size);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return size;
}

/// Called by libcurl at least once a second.
int is_stopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

bool needs_another_setting(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM: return true;
    default: return false;
  }
}

}  // namespace

struct ConnectionPool::Connection {
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), &curl_easy_cleanup};
  char error[CURL_ERROR_SIZE] = "";
};

/// A connection for one request, given back at its end.
class ConnectionPool::Lease {
 public:
  explicit Lease(ConnectionPool& pool) : pool_(pool) {
    {
      const std::lock_guard lock(pool_.mutex_);
      if (!pool_.idle_.empty()) {
        connection_ = std::move(pool_.idle_.back());
        pool_.idle_.pop_back();
      }
    }
    if (!connection_) connection_ = std::make_unique<Connection>();
    if (!connection_->curl) throw std::bad_alloc();
  }
  ~Lease() {
    curl_easy_reset(connection_->curl.get());  // the connection and its caches stay
    const std::lock_guard lock(pool_.mutex_);
    if (pool_.idle_.size() < kIdleMax) pool_.idle_.push_back(std::move(connection_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void set_up(const HttpRequest& request, const Headers& headers, Received& received) {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, connection_->error);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_URL, request.url.c_str());
    const std::string agent = "holdfast/" + std::string(library_version());
    set(CURLOPT_USERAGENT, agent.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    const auto connect = std::min(request.timeout, kConnectTimeoutMax);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &is_stopped);
    set(CURLOPT_XFERINFODATA, static_cast<const void*>(&request.stop));
    set(CURLOPT_WRITEFUNCTION, &receive);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&received));
  }

  void perform(const Received& received) {
    connection_->error[0] = '\0';
    const CURLcode code = curl_easy_perform(connection_->curl.get());
    if (code == CURLE_OK) return;
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (received.too_long) {
      throw EmbeddingUnavailable("the answer has over " + std::to_string(received.bytes_max) +
                                 " bytes");
    }
    const bool told = connection_->error[0] != '\0';
    const std::string message = told ? connection_->error : curl_easy_strerror(code);
    if (needs_another_setting(code)) throw Unavailable(message);
    throw EmbeddingUnavailable(message);
  }

  HttpReply reply(Received& received) {
    HttpReply reply;
    curl_easy_getinfo(connection_->curl.get(), CURLINFO_RESPONSE_CODE, &reply.status);
    char* location = nullptr;
    curl_easy_getinfo(connection_->curl.get(), CURLINFO_REDIRECT_URL, &location);
    if (location != nullptr) reply.location = location;
    curl_header* header = nullptr;
    if (curl_easy_header(connection_->curl.get(), "Retry-After", 0, CURLH_HEADER, -1, &header) ==
        CURLHE_OK) {
      reply.retry_after = header->value;
    }
    reply.body = std::move(received.bytes);
    return reply;
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(connection_->curl.get(), option, value);
    if (code != CURLE_OK) throw Unavailable(std::string("libcurl: ") + curl_easy_strerror(code));
  }

  ConnectionPool& pool_;
  std::unique_ptr<Connection> connection_;
};

ConnectionPool::ConnectionPool() {
  initialise_curl();
  idle_.reserve(kIdleMax);  // giving one back cannot fail
}
ConnectionPool::~ConnectionPool() = default;

HttpReply ConnectionPool::post(const HttpRequest& request) {
  Headers headers;
  headers.add("Content-Type: application/json");
  headers.add("Accept: application/json");
  headers.add("Expect:");  // not every endpoint knows how to ask for the body of a long request
  if (!request.key.empty()) headers.add("Authorization: Bearer " + request.key);
  Received received{.bytes = {}, .bytes_max = request.reply_bytes_max};
  Lease lease(*this);
  lease.set_up(request, headers, received);
  lease.perform(received);
  return lease.reply(received);
}

std::string origin_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return "";
  std::string origin;
  for (const CURLUPart part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT}) {
    char* text = nullptr;
    if (curl_url_get(parsed.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
    if (!origin.empty()) origin += part == CURLUPART_HOST ? "://" : ":";
    origin += text;
    curl_free(text);
  }
  return origin;
}

}  // namespace holdfast::vectors
