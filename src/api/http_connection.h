#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/byte_stream.h"
#include "api/http_server.h"
#include "api/pending_answer.h"

namespace cove {

class HttpConnection;

// The connections that a server has, without keeping them alive. Thread-safe.
class OpenConnections {
 public:
  void add(const std::shared_ptr<HttpConnection>& connection);
  void forget_ended();
  std::vector<std::shared_ptr<HttpConnection>> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<HttpConnection>> open_;
  std::size_t sweep_at_ = 64;  // it doubles, so that sweeping costs next to nothing
};

// What the connections of one server share.
struct HttpServerState {
  HttpServerOptions options;
  std::shared_ptr<HttpHandler> handler;
  std::atomic<bool> draining{false};  // answers are the last of their connection
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> bodies_held{0};
  std::atomic<std::size_t> connections{0};
  OpenConnections open;
  std::atomic<std::size_t> crowd{0};    // the most there were since memory was given back
  std::atomic<std::size_t> working{0};  // connections with a request in work
};

// Counts a connection, and at the end gives back what a crowd of them took.
class CountedConnection {
 public:
  explicit CountedConnection(HttpServerState& state);
  ~CountedConnection();
  CountedConnection(const CountedConnection&) = delete;
  CountedConnection& operator=(const CountedConnection&) = delete;

 private:
  HttpServerState& state_;
};

// One connection, from its first byte to its end: one request at a time, answers in order. Lives as
// long as its coroutine; everything runs on the stream's strand but close_if_idle() and cut_off().
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(std::unique_ptr<ByteStream> stream, std::string peer,
                 std::shared_ptr<HttpServerState> state);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  void close_if_idle();  // any thread: the server stops
  void cut_off();        // any thread

 private:
  using Time = std::chrono::milliseconds;
  enum class Wait : unsigned char { Woken, TimedOut };

  asio::awaitable<void> run();
  asio::awaitable<void> ask_for_tls();
  asio::awaitable<bool> serve_one();
  asio::awaitable<bool> read_head(HttpRequestParser& parser);
  asio::awaitable<bool> read_body(HttpRequestParser& parser, bool discard);
  asio::awaitable<bool> answer(const std::shared_ptr<const HttpRequest>& request);
  asio::awaitable<bool> stay_alive(const HttpRequest& request);
  asio::awaitable<bool> refuse(HttpResponse response, const HttpRequest& request, bool keep);
  asio::awaitable<bool> send_whole(const HttpResponse& response, bool head_only, bool keep);
  asio::awaitable<bool> send_rest(const HttpResponse& response, bool head_only,
                                  const AnswerSocket::Begun& begun);
  asio::awaitable<bool> send_part(PendingAnswer::Part& part, const HttpRequest& request,
                                  bool& keep);
  asio::awaitable<void> run_websocket(const HttpRequest& request, PendingAnswer::Part part);
  asio::awaitable<bool> write(std::string_view first, std::string_view second = {});
  asio::awaitable<Wait> wait(std::optional<Time> patience);
  asio::awaitable<void> linger();

  void let_write_through(PendingAnswer& pending, const HttpRequest& request);
  bool hold_body(std::uint64_t bytes);
  void release_body();
  void start_read();
  void wake();
  bool keep_alive(const HttpRequest& request) const;

  std::unique_ptr<ByteStream> stream_;
  std::string peer_;
  std::shared_ptr<HttpServerState> state_;
  CountedConnection counted_;
  asio::steady_timer signal_;
  asio::steady_timer write_guard_;
  std::string received_;  // not consumed yet
  std::string room_;
  bool reading_ = false;
  bool ended_ = false;  // the client sends nothing more
  bool working_ = false;
  bool closing_ = false;
  std::uint64_t body_held_ = 0;
  std::shared_ptr<PendingAnswer> answer_;
};

}  // namespace cove
