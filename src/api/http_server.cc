#include "api/http_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "api/http_connection.h"
#include "api/listen_address.h"
#include "api/tls_context.h"

namespace cove {

namespace {

using asio::ip::tcp;
using UnixProtocol = asio::local::stream_protocol;

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return fmt::format(fmt::runtime(endpoint.address().is_v6() ? "[{}]:{}" : "{}:{}"), host,
                     endpoint.port());
}
// Who is at the other end of a socket of either kind.
std::string peer_of(const StreamSocket& socket) {
  IoError error;
  const auto generic = socket.remote_endpoint(error);
  if (error) return "gone";
  const int family = generic.protocol().family();
  if (family != AF_INET && family != AF_INET6) return "unix";
  tcp::endpoint endpoint;
  if (generic.size() > endpoint.capacity()) return "unknown";
  std::memcpy(endpoint.data(), generic.data(), generic.size());
  endpoint.resize(generic.size());
  return text_of(endpoint);
}

Err cannot(std::string_view doing, const IoError& error) {
  return Err(Error(ErrorCode::Internal, fmt::format("{}: {}", doing, error.message())));
}

// A socket file that nobody listens on any more, left by a server that was killed.
void remove_stale_socket(const std::string& path, asio::io_context& io) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISSOCK(about.st_mode)) return;
  UnixProtocol::socket probe(io);
  IoError error;
  probe.connect(UnixProtocol::endpoint(path), error);
  if (error == asio::error::connection_refused) ::unlink(path.c_str());
}

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, std::shared_ptr<HttpHandler> handler,
                 std::unique_ptr<asio::ssl::context> tls)
      : io_(static_cast<int>(options.io_threads)),
        work_(io_.get_executor()),
        tls_(std::move(tls)),
        state_(std::make_shared<HttpServerState>()) {
    state_->options = options;
    state_->handler = std::move(handler);
  }
  ~AsioHttpServer() override { stop(); }

  Result<> listen(const std::string& address, unsigned unix_mode) override;
  std::vector<std::string> addresses() const override { return addresses_; }
  void start() override;
  void begin_drain() override { state_->draining = true; }
  void stop_accepting() override;
  bool wait_until_quiet(std::chrono::milliseconds patience) override;
  void stop() override;
  std::size_t connections() const override { return state_->connections; }

 private:
  template <class Protocol>
  Result<> open(asio::basic_socket_acceptor<Protocol>& acceptor,
                const typename Protocol::endpoint& endpoint, std::optional<unsigned> unix_mode);
  template <class Protocol>
  asio::awaitable<void> accept_loop(asio::basic_socket_acceptor<Protocol>& acceptor);
  void take(StreamSocket socket, std::string peer, bool encrypted);
  template <class Action>
  void for_each_connection(Action action);

  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::unique_ptr<asio::ssl::context> tls_;
  std::shared_ptr<HttpServerState> state_;
  std::vector<std::unique_ptr<tcp::acceptor>> tcp_;
  std::vector<std::unique_ptr<UnixProtocol::acceptor>> unix_;
  std::vector<std::string> unix_paths_;
  std::vector<std::string> addresses_;
  std::vector<std::thread> threads_;
};

template <class Protocol>
Result<> AsioHttpServer::open(asio::basic_socket_acceptor<Protocol>& acceptor,
                              const typename Protocol::endpoint& endpoint,
                              std::optional<unsigned> unix_mode) {
  IoError error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return cannot("opening a socket", error);
  if (!unix_mode) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  acceptor.bind(endpoint, error);
  if (error) return cannot("binding", error);
  // Before listen(): nobody can connect until the mode is what it should be.
  if constexpr (std::is_same_v<Protocol, UnixProtocol>) {
    if (::chmod(endpoint.path().c_str(), *unix_mode) != 0) {
      return Err(Error::from_errno("setting the socket's mode"));
    }
  }
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot("listening", error);
  return {};
}

Result<> AsioHttpServer::listen(const std::string& address, unsigned unix_mode) {
  COVE_ASSIGN(const ListenAddress parsed, parse_listen_address(address));
  Result<> opened;
  if (parsed.is_unix()) {
    remove_stale_socket(parsed.unix_path, io_);
    unix_.push_back(std::make_unique<UnixProtocol::acceptor>(io_));
    opened = open(*unix_.back(), UnixProtocol::endpoint(parsed.unix_path), unix_mode);
    if (opened) unix_paths_.push_back(parsed.unix_path);
    addresses_.push_back(address);
  } else {
    tcp_.push_back(std::make_unique<tcp::acceptor>(io_));
    IoError error;
    const auto host = asio::ip::make_address(parsed.host, error);
    if (error) return cannot(address, error);
    opened = open(*tcp_.back(), tcp::endpoint(host, parsed.port), std::nullopt);
    if (opened) addresses_.push_back(text_of(tcp_.back()->local_endpoint()));
  }
  if (!opened) return Err(std::move(opened).error().with_context("cannot listen on " + address));
  return {};
}

template <class Protocol>
asio::awaitable<void> AsioHttpServer::accept_loop(asio::basic_socket_acceptor<Protocol>& acceptor) {
  asio::steady_timer pause(io_);
  while (acceptor.is_open() && !state_->stopping) {
    StreamSocket socket(asio::make_strand(io_));
    IoError error;
    co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) co_return;
    if (error) {  // no descriptors left, say: those that serve go on, and this one waits
      pause.expires_after(std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    constexpr bool kIsTcp = std::is_same_v<Protocol, tcp>;
    if (kIsTcp) socket.set_option(tcp::no_delay(true), error);
    std::string peer = peer_of(socket);
    take(std::move(socket), std::move(peer), kIsTcp && tls_ != nullptr);
  }
}

void AsioHttpServer::take(StreamSocket socket, std::string peer, bool encrypted) {
  if (state_->connections >= state_->options.max_connections) {
    const HttpResponse response =
        state_->handler->refusal(503, "too many connections; try again later", peer);
    ResponseFraming framing;
    framing.content_length = response.body.size();
    framing.keep_alive = false;
    const std::string text = response_head(response, framing) + response.body;
    IoError ignored;
    socket.non_blocking(true, ignored);
    if (!encrypted) socket.write_some(asio::buffer(text), ignored);
    return;
  }
  auto stream =
      encrypted ? make_tls_stream(std::move(socket), *tls_) : make_plain_stream(std::move(socket));
  const auto connection =
      std::make_shared<HttpConnection>(std::move(stream), std::move(peer), state_);
  state_->open.add(connection);
  connection->start();
}

void AsioHttpServer::start() {
  for (auto& acceptor : tcp_) {
    asio::co_spawn(io_, accept_loop(*acceptor), asio::detached);
  }
  for (auto& acceptor : unix_) {
    asio::co_spawn(io_, accept_loop(*acceptor), asio::detached);
  }
  for (unsigned i = 0; i < state_->options.io_threads; ++i) {
    threads_.emplace_back([this] { io_.run(); });
  }
}

template <class Action>
void AsioHttpServer::for_each_connection(Action action) {
  for (const auto& connection : state_->open.all()) action(*connection);
}

void AsioHttpServer::stop_accepting() {
  if (state_->stopping.exchange(true)) return;
  for (const std::string& path : unix_paths_) ::unlink(path.c_str());
  asio::post(io_, [this] {
    IoError ignored;
    for (auto& acceptor : tcp_) acceptor->close(ignored);
    for (auto& acceptor : unix_) acceptor->close(ignored);
  });
  for_each_connection([](HttpConnection& connection) { connection.close_if_idle(); });
}

bool AsioHttpServer::wait_until_quiet(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (state_->working > 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void AsioHttpServer::stop() {
  stop_accepting();
  for_each_connection([](HttpConnection& connection) { connection.cut_off(); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (state_->connections > 0 && std::chrono::steady_clock::now() < deadline) {
    if (threads_.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  work_.reset();
  io_.stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::create(HttpServerOptions options, TlsFiles tls,
                                                       std::shared_ptr<HttpHandler> handler) {
  std::unique_ptr<asio::ssl::context> context;
  if (!tls.empty()) {
    COVE_ASSIGN(context, make_tls_context(tls));
  }
  return std::make_unique<AsioHttpServer>(options, std::move(handler), std::move(context));
}

}  // namespace cove
