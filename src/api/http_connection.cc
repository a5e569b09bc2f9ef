#include "api/http_connection.h"

#include <algorithm>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "api/websocket_connection.h"

namespace cove {

namespace {

constexpr std::size_t kReadSize = 16U << 10U;
constexpr std::size_t kWriteSize = 256U << 10U;
constexpr std::size_t kReadAhead = 64U << 10U;  // of pipelined requests while one is in work
constexpr std::uint64_t kDrainedBody = 1U << 20U;
constexpr std::chrono::milliseconds kLinger{2'000};

bool is_event_stream(const HttpResponse& head) {
  return std::ranges::any_of(head.headers, [](const auto& header) {
    return header.first == "Content-Type" && header.second == "text/event-stream";
  });
}

}  // namespace

HttpConnection::HttpConnection(std::unique_ptr<ByteStream> stream, std::string peer,
                               std::shared_ptr<HttpServerState> state)
    : stream_(std::move(stream)),
      peer_(std::move(peer)),
      state_(std::move(state)),
      counted_(*state_),
      signal_(stream_->executor()),
      write_guard_(stream_->executor()) {}

HttpConnection::~HttpConnection() {
  release_body();
}

void HttpConnection::start() {
  auto self = shared_from_this();
  asio::co_spawn(
      stream_->executor(), [self]() -> asio::awaitable<void> { return self->run(); },
      [self](const std::exception_ptr& problem) {
        // Only a bug or a lack of memory gets here: this connection ends, the server goes on.
        if (problem) {
          if (self->answer_) self->answer_->abandon();
          if (self->working_) --self->state_->working;
          self->working_ = false;
        }
        self->stream_->close();
      });
}

void HttpConnection::close_if_idle() {
  asio::post(stream_->executor(), [self = shared_from_this()] {
    self->closing_ = true;
    if (!self->working_) self->wake();
  });
}

void HttpConnection::cut_off() {
  asio::post(stream_->executor(), [self = shared_from_this()] {
    self->closing_ = true;
    self->ended_ = true;
    self->stream_->close();
    self->wake();
  });
}

void HttpConnection::wake() {
  signal_.cancel();
}

asio::awaitable<HttpConnection::Wait> HttpConnection::wait(std::optional<Time> patience) {
  if (patience) {
    signal_.expires_after(*patience);
  } else {
    signal_.expires_at(asio::steady_timer::time_point::max());
  }
  IoError error;
  co_await signal_.async_wait(asio::redirect_error(asio::use_awaitable, error));
  co_return error ? Wait::Woken : Wait::TimedOut;
}

void HttpConnection::start_read() {
  // Enough for a whole head, whatever its limit.
  const std::uint64_t most =
      std::max<std::uint64_t>(kReadAhead, state_->options.read.header.value + 4);
  if (reading_ || ended_ || received_.size() >= most) return;
  reading_ = true;
  room_.resize(kReadSize);
  stream_->read_some(asio::buffer(room_),
                     [self = shared_from_this()](IoError error, std::size_t size) {
                       self->reading_ = false;
                       self->received_.append(self->room_, 0, size);
                       if (error) self->ended_ = true;
                       self->wake();
                     });
}

// In slices: a client that takes a large answer slowly but steadily is not a stalled one.
asio::awaitable<bool> HttpConnection::write(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const std::string_view begin = first.substr(0, kWriteSize);
    const std::string_view end = second.substr(0, kWriteSize - begin.size());
    write_guard_.expires_after(state_->options.write_timeout);
    write_guard_.async_wait([self = shared_from_this()](IoError error) {
      if (!error) self->stream_->close();  // the client takes nothing
    });
    const TwoBuffers buffers{asio::buffer(begin), asio::buffer(end)};
    const IoError error = co_await stream_->write(buffers);
    write_guard_.cancel();
    if (error) co_return false;
    first.remove_prefix(begin.size());
    second.remove_prefix(end.size());
  }
  co_return true;
}

bool HttpConnection::keep_alive(const HttpRequest& request) const {
  return request.keep_alive && !state_->draining && !state_->stopping && !closing_;
}

bool HttpConnection::hold_body(std::uint64_t bytes) {
  const std::uint64_t now = state_->bodies_held += bytes;
  body_held_ += bytes;
  return now <= state_->options.bodies_total.value;
}

void HttpConnection::release_body() {
  state_->bodies_held -= std::exchange(body_held_, 0);
}

asio::awaitable<void> HttpConnection::run() {
  Time patience = state_->options.header_timeout;
  write_guard_.expires_after(patience);
  write_guard_.async_wait([self = shared_from_this()](IoError error) {
    if (!error) self->stream_->close();
  });
  const IoError error = co_await stream_->handshake();
  write_guard_.cancel();
  if (error && stream_->spoke_plainly()) co_await ask_for_tls();
  if (error) co_return;
  while (co_await serve_one()) {
    release_body();
  }
  // What still arrives must not turn the answer that is on its way into a reset connection.
  if (!ended_ && !closing_) co_await linger();
  stream_->close();
}

asio::awaitable<void> HttpConnection::ask_for_tls() {
  const HttpResponse response =
      state_->handler->refusal(400, "this port speaks TLS only: use https://", peer_);
  ResponseFraming framing;
  framing.content_length = response.body.size();
  framing.keep_alive = false;
  write_guard_.expires_after(kLinger);
  write_guard_.async_wait([self = shared_from_this()](IoError error) {
    if (!error) self->stream_->close();
  });
  co_await stream_->answer_plainly(response_head(response, framing) + response.body);
  write_guard_.cancel();
}

// True: another request may follow.
asio::awaitable<bool> HttpConnection::serve_one() {
  HttpRequestParser parser(state_->options.read);
  if (!co_await read_head(parser)) co_return false;
  working_ = true;
  ++state_->working;
  HttpRequest& head = parser.request();
  head.peer = peer_;
  head.encrypted = stream_->encrypted() != nullptr;
  bool keep = false;
  if (auto refusal = state_->handler->admit(head)) {
    // A short body is read and forgotten, so that the connection can go on; for a long one it ends.
    bool drained = !parser.has_body();
    if (!drained && !parser.expects_continue() &&
        parser.content_length().value_or(kDrainedBody + 1) <= kDrainedBody) {
      drained = co_await read_body(parser, true);
    }
    keep = co_await refuse(std::move(*refusal), head, drained);
  } else if (co_await read_body(parser, false)) {
    auto request = std::make_shared<const HttpRequest>(std::move(parser.request()));
    keep = co_await answer(request);
  }
  working_ = false;
  --state_->working;
  co_return keep;
}

asio::awaitable<bool> HttpConnection::read_head(HttpRequestParser& parser) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + state_->options.idle_timeout;
  bool started = false;
  for (;;) {
    if (!received_.empty()) received_.erase(0, parser.feed(received_));
    if (parser.error()) {
      const HttpReadError error = *parser.error();
      parser.request().keep_alive = false;
      HttpResponse response = state_->handler->refusal(error.status, error.message, peer_);
      co_await refuse(std::move(response), parser.request(), false);
      co_return false;
    }
    if (parser.head_done()) co_return true;
    if (!started && parser.started()) {
      started = true;
      deadline = Clock::now() + state_->options.header_timeout;
    }
    if (ended_ || (closing_ && !started)) co_return false;
    start_read();
    const auto left = std::chrono::duration_cast<Time>(deadline - Clock::now());
    const bool late = left <= Time(0) || co_await wait(left) == Wait::TimedOut;
    if (!late) continue;
    if (!started) co_return false;  // idle: no answer is due
    HttpResponse response =
        state_->handler->refusal(408, "the request's head took too long to arrive", peer_);
    co_await refuse(std::move(response), parser.request(), false);
    co_return false;
  }
}

asio::awaitable<bool> HttpConnection::read_body(HttpRequestParser& parser, bool discard) {
  using Clock = std::chrono::steady_clock;
  if (parser.done()) co_return true;
  const auto deadline = Clock::now() + state_->options.body_timeout;
  HttpRequest& head = parser.request();
  std::uint64_t taken = 0;
  int status = 0;
  std::string message;
  const std::uint64_t announced = parser.content_length().value_or(0);
  if (announced <= state_->options.read.body.value && !hold_body(announced)) status = 503;
  if (status == 0 && !discard && parser.expects_continue() && received_.empty()) {
    if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return false;
  }
  while (status == 0) {
    if (!received_.empty()) {
      const std::size_t used = parser.feed(received_);
      received_.erase(0, used);
      taken += used;
      if (taken > body_held_ && !hold_body(taken - body_held_)) status = 503;
    }
    if (parser.error()) {
      status = parser.error()->status;
      message = parser.error()->message;
      break;
    }
    if (parser.done()) co_return true;
    if (status != 0) break;
    if (ended_) co_return false;
    start_read();
    const auto left = std::chrono::duration_cast<Time>(deadline - Clock::now());
    if (left > Time(0) && co_await wait(left) == Wait::Woken) continue;
    status = 408;
    message = "the request's body took too long to arrive";
  }
  if (status == 503) message = "too many large requests at once; try again later";
  if (discard) co_return false;
  HttpResponse response = state_->handler->refusal(status, message, peer_);
  co_await refuse(std::move(response), head, false);
  co_return false;
}

asio::awaitable<bool> HttpConnection::refuse(HttpResponse response, const HttpRequest& request,
                                             bool keep) {
  const bool stay = keep && keep_alive(request);
  co_return co_await send_whole(response, request.method == "HEAD", stay) && stay;
}

asio::awaitable<bool> HttpConnection::send_whole(const HttpResponse& response, bool head_only,
                                                 bool keep) {
  ResponseFraming framing;
  framing.content_length = response.body.size();
  framing.keep_alive = keep;
  const std::string head = response_head(response, framing);
  const bool sent =
      co_await write(head, head_only ? std::string_view() : std::string_view(response.body));
  co_return sent;
}

// What the thread that made the answer could not write at once.
asio::awaitable<bool> HttpConnection::send_rest(const HttpResponse& response, bool head_only,
                                                const AnswerSocket::Begun& begun) {
  std::string_view head = begun.head;
  std::string_view body = head_only ? std::string_view() : std::string_view(response.body);
  const std::size_t of_head = std::min(begun.sent, head.size());
  head.remove_prefix(of_head);
  body.remove_prefix(begun.sent - of_head);
  co_return co_await write(head, body);
}

void HttpConnection::let_write_through(PendingAnswer& pending, const HttpRequest& request) {
  StreamSocket* const socket = stream_->plain();
  if (socket == nullptr) return;
  const bool wanted = request.keep_alive && !closing_;
  pending.wait_at(AnswerSocket(
      socket->native_handle(), request.method == "HEAD",
      [state = state_, wanted] { return wanted && !state->draining && !state->stopping; }));
}

// True: answered in full, and another request may follow.
asio::awaitable<bool> HttpConnection::answer(const std::shared_ptr<const HttpRequest>& request) {
  std::weak_ptr<HttpConnection> weak = weak_from_this();
  asio::any_io_executor executor = stream_->executor();
  answer_ = std::make_shared<PendingAnswer>(state_->options.stream_buffer, [weak, executor] {
    asio::post(executor, [weak] {
      if (const auto self = weak.lock()) self->wake();
    });
  });
  const std::shared_ptr<PendingAnswer> pending = answer_;
  state_->handler->handle(request, pending);
  bool keep = keep_alive(*request);
  std::optional<Time> heartbeat;  // of an event stream that has begun
  bool waits = false;
  for (;;) {
    PendingAnswer::Part part = pending->take();
    if (part.empty()) {
      if (ended_) break;
      start_read();  // to see the client leave
      if (!std::exchange(waits, true)) let_write_through(*pending, *request);
      const bool quiet = co_await wait(heartbeat) == Wait::TimedOut;
      if (quiet && !co_await stay_alive(*request)) break;
      continue;
    }
    if (part.websocket) {
      co_await run_websocket(*request, std::move(part));
      answer_.reset();
      co_return false;
    }
    const bool may_fall_silent = part.stream_head && is_event_stream(*part.stream_head);
    if (may_fall_silent && state_->options.stream_keep_alive > Time(0)) {
      heartbeat = state_->options.stream_keep_alive;
    }
    if (!co_await send_part(part, *request, keep)) break;
    if (!part.finished) continue;
    answer_.reset();
    co_return keep;
  }
  stream_->close();
  pending->abandon();
  answer_.reset();
  co_return false;
}

// Something on the wire that means nothing, so that no proxy takes a long silence for the end. The
// write also finds out a client that is gone without a word.
asio::awaitable<bool> HttpConnection::stay_alive(const HttpRequest& request) {
  if (request.method == "HEAD") co_return true;
  constexpr std::string_view kComment = ": still running\n\n";
  if (request.minor_version < 1) co_return co_await write(kComment);
  const std::string chunk = fmt::format("{:x}\r\n{}\r\n", kComment.size(), kComment);
  co_return co_await write(chunk);
}

asio::awaitable<bool> HttpConnection::send_part(PendingAnswer::Part& part,
                                                const HttpRequest& request, bool& keep) {
  const bool head_only = request.method == "HEAD";
  if (part.whole) {
    keep = keep && keep_alive(request);
    if (part.begun) {
      keep = keep && part.begun->keep_alive;
      co_return co_await send_rest(*part.whole, head_only, *part.begun);
    }
    co_return co_await send_whole(*part.whole, head_only, keep);
  }
  const bool chunked = request.minor_version >= 1;
  std::string head;
  if (part.stream_head) {
    keep = keep && chunked;  // HTTP/1.0 knows the end of a stream by the end of the connection
    ResponseFraming framing;
    framing.chunked = chunked;
    framing.keep_alive = keep;
    head = response_head(*part.stream_head, framing);
    if (!chunked) {
      const std::size_t at = head.find("Content-Length: 0\r\n");
      if (at != std::string::npos) head.erase(at, 19);
    }
  }
  std::string body;
  if (!head_only && !part.bytes.empty()) {
    body = chunked ? fmt::format("{:x}\r\n", part.bytes.size()) : std::string();
    body += part.bytes;
    if (chunked) body += "\r\n";
  }
  if (part.finished && chunked && !head_only) body += "0\r\n\r\n";
  const bool sent = co_await write(head, body);
  if (answer_) answer_->written(part.bytes.size());
  co_return sent;
}

asio::awaitable<void> HttpConnection::run_websocket(const HttpRequest& request,
                                                    PendingAnswer::Part part) {
  WebSocketSetup setup;
  setup.request = &request;
  setup.headers = std::move(part.websocket_headers);
  setup.handler = std::move(part.websocket);
  setup.message_limit = state_->options.websocket_message;
  setup.send_buffer = state_->options.stream_buffer;
  setup.idle_timeout = state_->options.idle_timeout;
  setup.handshake_timeout = state_->options.header_timeout;
  setup.write_timeout = state_->options.write_timeout;
  if (!received_.empty() || reading_) co_return;  // nothing may come before the 101
  // A socket that waits for its client is no work that a stopping server has to wait for; the
  // programs on it are the engine's.
  --state_->working;
  if (StreamSocket* const plain = stream_->plain()) {
    co_await serve_websocket(*plain, std::move(setup));
  } else {
    co_await serve_websocket(*stream_->encrypted(), std::move(setup));
  }
  ++state_->working;
  closing_ = true;  // the close handshake is done: nothing to linger for
}

asio::awaitable<void> HttpConnection::linger() {
  stream_->shutdown_send();
  const auto deadline = std::chrono::steady_clock::now() + kLinger;
  while (!ended_ && !closing_) {
    received_.clear();
    start_read();
    const auto left = std::chrono::duration_cast<Time>(deadline - std::chrono::steady_clock::now());
    if (left <= Time(0) || co_await wait(left) == Wait::TimedOut) break;
  }
}

}  // namespace cove
