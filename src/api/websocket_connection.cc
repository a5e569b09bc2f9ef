#include "api/websocket_connection.h"

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "base/strings.h"

namespace cove {

namespace {

namespace beast = boost::beast;
namespace ws = boost::beast::websocket;

constexpr std::size_t kFragment = 256U << 10U;
constexpr std::size_t kLongestReason = 123;  // what a close frame can hold

// What waits to be sent: bounded, filled from any thread, emptied on the stream's strand.
class Outbox final : public WebSocketPeer {
 public:
  Outbox(Bytes limit, std::function<void()> wake) : limit_(limit.value), wake_(std::move(wake)) {}

  bool send_text(std::string message, bool must_keep) override {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || (!must_keep && held_ + message.size() > limit_)) return false;
      held_ += message.size();
      messages_.push_back(std::move(message));
    }
    wake_();
    return true;
  }

  void close(std::uint16_t code, std::string_view reason) override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(closed_, true)) return;
      reason_ = ws::close_reason(static_cast<ws::close_code>(code), "");
      const std::string text(reason.substr(0, utf8_cut(reason, kLongestReason)));
      reason_.reason.assign(text.data(), text.size());
    }
    wake_();
  }

  std::optional<std::string> take() {
    const std::lock_guard lock(mutex_);
    if (messages_.empty()) return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

  void sent(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
  }

  std::optional<ws::close_reason> close_asked() {
    const std::lock_guard lock(mutex_);
    return closed_ && messages_.empty() ? std::optional(reason_) : std::nullopt;
  }

 private:
  const std::uint64_t limit_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::deque<std::string> messages_;
  std::uint64_t held_ = 0;
  bool closed_ = false;
  ws::close_reason reason_;
};

template <class Stream>
struct Shared {
  Shared(Stream& stream, asio::any_io_executor executor) : socket(stream), signal(executor) {}

  ws::stream<Stream&> socket;
  asio::steady_timer signal;
  bool reader_done = false;
  bool writer_done = false;
};

beast::http::request<beast::http::empty_body> as_beast(const HttpRequest& request) {
  beast::http::request<beast::http::empty_body> out;
  out.method_string(request.method);
  out.target(request.target);
  out.version(11);
  for (const auto& [name, value] : request.headers) out.insert(name, value);
  return out;
}

void close_socket(StreamSocket& socket) {
  IoError ignored;
  socket.close(ignored);
}
void close_socket(TlsStream& stream) {
  close_socket(stream.next_layer());
}

template <class Stream>
void configure(ws::stream<Stream&>& socket, const WebSocketSetup& setup) {
  ws::stream_base::timeout timeouts{};
  timeouts.handshake_timeout = setup.handshake_timeout;
  timeouts.idle_timeout = setup.idle_timeout;
  timeouts.keep_alive_pings = true;
  socket.set_option(timeouts);
  socket.read_message_max(setup.message_limit.value);
  socket.auto_fragment(false);
  HeaderList headers = setup.headers;
  socket.set_option(ws::stream_base::decorator([headers](ws::response_type& response) {
    for (const auto& [name, value] : headers) response.set(name, value);
  }));
}

// One message, in fragments: pings pass between them, and the time a client may take counts for
// each.
template <class Stream>
asio::awaitable<IoError> write_message(std::shared_ptr<Shared<Stream>> shared,
                                       std::string_view message, asio::steady_timer& guard,
                                       std::chrono::milliseconds patience) {
  IoError error;
  shared->socket.text(true);
  do {
    const std::string_view part = message.substr(0, kFragment);
    message.remove_prefix(part.size());
    guard.expires_after(patience);
    guard.async_wait([shared](IoError late) {
      if (!late) close_socket(shared->socket.next_layer());
    });
    co_await shared->socket.async_write_some(message.empty(), asio::buffer(part),
                                             asio::redirect_error(asio::use_awaitable, error));
    guard.cancel();
  } while (!error && !message.empty());
  co_return error;
}

// Sends what waits, then closes when asked to.
template <class Stream>
asio::awaitable<void> write_loop(std::shared_ptr<Shared<Stream>> shared,
                                 std::shared_ptr<Outbox> outbox, asio::steady_timer& guard,
                                 std::chrono::milliseconds patience) {
  IoError error;
  while (!error && !shared->reader_done) {
    if (const auto message = outbox->take()) {
      error = co_await write_message<Stream>(shared, *message, guard, patience);
      outbox->sent(message->size());
    } else if (const auto reason = outbox->close_asked()) {
      co_await shared->socket.async_close(*reason,
                                          asio::redirect_error(asio::use_awaitable, error));
      break;
    } else {
      shared->signal.expires_at(asio::steady_timer::time_point::max());
      IoError ignored;
      co_await shared->signal.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }
  if (error) close_socket(shared->socket.next_layer());
}

template <class Stream>
asio::awaitable<void> read_loop(std::shared_ptr<Shared<Stream>> shared, WebSocketHandler& handler) {
  beast::flat_buffer buffer;
  for (;;) {
    IoError error;
    co_await shared->socket.async_read(buffer, asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    const auto data = buffer.data();
    handler.on_message({static_cast<const char*>(data.data()), data.size()},
                       shared->socket.got_text());
    buffer.consume(buffer.size());
    if (buffer.capacity() > (1U << 20U)) buffer = beast::flat_buffer();
  }
}

template <class Stream>
asio::awaitable<void> serve(Stream& stream, WebSocketSetup setup) {
  const asio::any_io_executor executor = stream.get_executor();
  auto shared = std::make_shared<Shared<Stream>>(stream, executor);
  configure(shared->socket, setup);
  IoError error;
  const auto request = as_beast(*setup.request);
  co_await shared->socket.async_accept(request, asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    setup.handler->on_gone();
    co_return;
  }
  std::weak_ptr<Shared<Stream>> weak = shared;
  auto outbox = std::make_shared<Outbox>(setup.send_buffer, [weak, executor] {
    asio::post(executor, [weak] {
      if (const auto alive = weak.lock()) alive->signal.cancel();
    });
  });
  asio::steady_timer guard(executor);
  asio::steady_timer ended(executor, asio::steady_timer::time_point::max());
  asio::co_spawn(executor, write_loop<Stream>(shared, outbox, guard, setup.write_timeout),
                 [shared, &ended](const std::exception_ptr&) {
                   shared->writer_done = true;
                   ended.cancel();
                 });
  setup.handler->on_open(outbox);
  co_await read_loop<Stream>(shared, *setup.handler);
  setup.handler->on_gone();
  outbox->close(kWsGoingAway, "");
  // The writer ends by itself: its stream is closed, or it is told that there is no reader.
  shared->reader_done = true;
  shared->signal.cancel();
  if (!shared->writer_done) {
    co_await ended.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace

asio::awaitable<void> serve_websocket(StreamSocket& stream, WebSocketSetup setup) {
  return serve(stream, std::move(setup));
}

asio::awaitable<void> serve_websocket(TlsStream& stream, WebSocketSetup setup) {
  return serve(stream, std::move(setup));
}

}  // namespace cove
