#include "embedding_server.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>
#include <nlohmann/json.hpp>

namespace holdfast::test {

struct EmbeddingServer::State {
  Handler handler;
  httplib::Server server;
  int port = 0;
  std::promise<void> end;
  std::shared_future<void> ended = end.get_future().share();
  mutable std::mutex mutex;
  std::vector<ServedRequest> requests;  ///< guarded by mutex
  std::thread thread;

  void serve(const httplib::Request& request, httplib::Response& response) {
    const ServedRequest served{.path = request.path,
                               .authorization = request.get_header_value("Authorization"),
                               .body = request.body};
    {
      const std::lock_guard lock(mutex);
      requests.push_back(served);
    }
    const ServedReply reply = handler(served);
    if (reply.never) ended.wait();
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    response.set_content(reply.body, "application/json");
  }
};

EmbeddingServer::EmbeddingServer(Handler handler) : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->server.set_keep_alive_timeout(1);
  state_->server.Post(".*", [state = state_.get()](const auto& request, auto& response) {
    state->serve(request, response);
  });
  state_->port = state_->server.bind_to_any_port("127.0.0.1");
  state_->thread = std::thread([state = state_.get()] { state->server.listen_after_bind(); });
  while (!state_->server.is_running()) std::this_thread::yield();
}

EmbeddingServer::EmbeddingServer(ServedReply reply)
    : EmbeddingServer([reply = std::move(reply)](const ServedRequest&) { return reply; }) {}

EmbeddingServer::~EmbeddingServer() {
  state_->end.set_value();
  state_->server.stop();
  state_->thread.join();
}

std::string EmbeddingServer::url() const {
  return "http://127.0.0.1:" + std::to_string(state_->port);
}

std::vector<ServedRequest> EmbeddingServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

std::shared_ptr<Embedder> http_embedder(const std::string& url, std::size_t dimension,
                                        core::Environment& environment) {
  const HttpEmbedderSpec spec{.url = url, .model = "m", .timeout = std::chrono::seconds(20)};
  return vectors::make_embedder(spec, dimension, {}, environment);
}

std::string answer_with(const std::string& items) {
  return R"({"object":"list","data":[)" + items + R"(],"model":"m","usage":{"total_tokens":1}})";
}

std::string item(int index, const std::string& components) {
  return R"({"object":"embedding","index":)" + std::to_string(index) + R"(,"embedding":[)" +
         components + "]}";
}

ServedReply sizes_and_places(const ServedRequest& request) {
  const auto body = nlohmann::json::parse(request.body);
  std::string items;
  int place = 0;
  for (const auto& text : body["input"]) {
    if (place > 0) items += ',';
    const auto size = text.get<std::string>().size();
    items += item(place, std::to_string(size) + "," + std::to_string(place));
    ++place;
  }
  return {.body = answer_with(items)};
}

}  // namespace holdfast::test
