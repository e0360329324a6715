#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::vectors {

struct HttpRequest {
  std::string url;
  std::string key;  ///< sent as a bearer token; empty: none
  std::string body;  ///< JSON
  std::chrono::milliseconds timeout;
  std::size_t reply_bytes_max;
  std::stop_token stop{};  ///< ends the request as one without a reply
};

struct HttpReply {
  long status = 0;
  std::string body{};
  std::string retry_after{};  ///< the header, empty when there is none
  std::string location{};     ///< where a redirect leads, absolute; empty when it is none
};

/// Connections that are kept open between requests.
/// Thread safety: any number of calls at once; each has a connection of its own.
class ConnectionPool {
 public:
  ConnectionPool();
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// Follows no redirect. Throws EmbeddingUnavailable when no reply came in time or one too long,
  /// and Unavailable when only another setting helps, such as a certificate.
  HttpReply post(const HttpRequest& request);

 private:
  struct Connection;
  class Lease;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  ///< guarded by mutex_
};

/// Scheme, host and port, as in https://example.org:443; empty for what is no URL.
std::string origin_of(const std::string& url);

}  // namespace holdfast::vectors
