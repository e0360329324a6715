#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <holdfast/core/environment.h>
#include <holdfast/vectors/embedder.h>
#include <holdfast/vectors/embedder_spec.h>

namespace holdfast::test {

struct ServedRequest {
  std::string path;
  std::string authorization;
  std::string body;
};

struct ServedReply {
  int status = 200;
  std::string body{};
  std::map<std::string, std::string> headers{};
  bool never = false;  ///< nothing is sent until the server ends
};

/// An HTTP server on a free port of 127.0.0.1, until it is destroyed. Declare what connects to it
/// behind it.
class EmbeddingServer {
 public:
  /// Called on the server's threads, for every POST.
  using Handler = std::function<ServedReply(const ServedRequest&)>;
  explicit EmbeddingServer(Handler handler);
  /// Answers every request with this.
  explicit EmbeddingServer(ServedReply reply);
  ~EmbeddingServer();
  EmbeddingServer(const EmbeddingServer&) = delete;
  EmbeddingServer& operator=(const EmbeddingServer&) = delete;

  std::string url() const;  ///< http://127.0.0.1:PORT
  std::vector<ServedRequest> requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The embedder for that address.
std::shared_ptr<Embedder> http_embedder(const std::string& url, std::size_t dimension,
                                        core::Environment& environment);

/// An answer with these `data` elements.
std::string answer_with(const std::string& items);
/// One element: item(1, "0.5,2").
std::string item(int index, const std::string& components);
/// What an endpoint answers whose vectors are {size of the text, its place}.
ServedReply sizes_and_places(const ServedRequest& request);

/// What the call throws.
template <class Thrown, class Call>
Thrown thrown_by(Call call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error;
  }
  throw std::logic_error("the call has not thrown that");
}

}  // namespace holdfast::test
