#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/answer_socket.h"
#include "api/http_handler.h"
#include "base/bytes.h"

namespace cove {

// Where a handler's answer waits for the connection that writes it. The handler's side is
// HttpExchange; take() and abandon() are the connection's. Thread-safe.
class PendingAnswer final : public HttpExchange {
 public:
  // `wake` is called, from any thread, when take() may have something new.
  PendingAnswer(Bytes buffer, std::function<void()> wake);

  void send(HttpResponse response) override;
  void start_stream(HttpResponse head) override;
  bool write(std::string piece, bool must_keep) override;
  void finish() override;
  void on_abandoned(std::function<void()> callback) override;
  void upgrade(std::shared_ptr<WebSocketHandler> handler, HeaderList headers) override;

  struct Part {
    std::optional<HttpResponse> whole;
    std::optional<AnswerSocket::Begun> begun;  // of `whole`
    std::optional<HttpResponse> stream_head;
    std::string bytes;  // of a stream
    bool finished = false;
    std::shared_ptr<WebSocketHandler> websocket;
    HeaderList websocket_headers;

    bool empty() const {
      return !whole && !stream_head && bytes.empty() && !finished && !websocket;
    }
  };
  // What there is to write now. Room in the buffer is given back by written().
  Part take();
  // Until then, whoever has the whole answer may begin to write it there.
  void wait_at(AnswerSocket socket);
  void written(std::size_t bytes);
  // The client is gone: later pieces are refused, the handler is told.
  void abandon();

 private:
  void notify();

  const std::uint64_t limit_;
  std::function<void()> wake_;
  std::mutex mutex_;
  Part ready_;
  std::uint64_t held_ = 0;  // bytes that the client has not taken
  bool answered_ = false;   // send, start_stream or upgrade was called
  bool finished_ = false;
  bool abandoned_ = false;
  bool wake_wanted_ = false;
  AnswerSocket socket_;
  std::function<void()> on_abandoned_;
};

}  // namespace cove
