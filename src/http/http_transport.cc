#include "http/http_transport.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "base/parse_size.h"
#include "base/strings.h"
#include "base/version.h"

namespace cove {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using Clock = std::chrono::steady_clock;
using Time = std::chrono::milliseconds;
using IoError = boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;
using Parser = http::response_parser<http::buffer_body>;

constexpr std::size_t kMostIdle = 8;
constexpr std::uint32_t kLongestHead = 64U << 10U;

// One connection and the loop that drives it; used by one thread at a time.
class Connection {
 public:
  Connection(const ServerUrl& url, const TransportOptions& options, ssl::context* tls)
      : url_(url), options_(options), socket_(io_) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }

  Result<> open(const HttpCall& call);
  // True in `retry`: nothing of a reply came, so that a call that changes nothing may be repeated.
  Result<HttpReply> exchange(const HttpCall& call, bool& retry);
  Result<HttpReply> converse(const HttpConversation& conversation);
  bool reusable() const { return reusable_; }
  // The server has neither hung up nor said anything since the last reply.
  bool is_quiet() {
    char byte = 0;
    return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           errno == EAGAIN;
  }

 private:
  enum class Stopped : unsigned char { No, GaveUp, Silent };

  // Starts an operation and waits for its end, the caller's wish to stop, or the patience.
  template <class Start>
  IoError drive(const HttpCall& call, Time patience, Start start);
  template <class Start>
  auto with_stream(Start start) {
    return tls_ ? start(*tls_) : start(socket_);
  }
  Err failed(std::string_view doing, const IoError& error) const;
  Result<> connect(const HttpCall& call);
  Result<> handshake(const HttpCall& call);
  IoError write_request(const HttpCall& call);
  Result<> read_body(const HttpCall& call, Parser& parser, bool streamed, std::string& body);
  Result<> pump(const HttpConversation& conversation);
  // True while there is reason to go on; closing the socket ends the operations under way.
  bool keep_waiting(const HttpCall& call);

  const ServerUrl& url_;
  const TransportOptions& options_;
  asio::io_context io_{1};
  Socket socket_;
  std::optional<ssl::stream<Socket&>> tls_;
  boost::beast::flat_buffer buffer_{kLongestHead + (64U << 10U)};
  Stopped stopped_ = Stopped::No;
  bool reusable_ = false;
};

template <class Start>
IoError Connection::drive(const HttpCall& call, Time patience, Start start) {
  std::optional<IoError> done;
  start([&done](IoError error, auto&&...) { done = error; });
  io_.restart();
  const auto deadline = Clock::now() + patience;
  while (!done) {
    io_.run_for(call.slice);
    if (done || stopped_ != Stopped::No) continue;
    if (call.give_up && call.give_up()) stopped_ = Stopped::GaveUp;
    if (patience > Time(0) && Clock::now() >= deadline) stopped_ = Stopped::Silent;
    IoError ignored;
    if (stopped_ != Stopped::No) socket_.close(ignored);  // ends the operation
  }
  return *done;
}

Err Connection::failed(std::string_view doing, const IoError& error) const {
  const std::string where = url_.is_unix() ? "unix:" + url_.unix_path : url_.host_header();
  if (stopped_ == Stopped::GaveUp) return Err(Error(ErrorCode::Timeout, "the call was cancelled"));
  if (stopped_ == Stopped::Silent) {
    return Err(Error(ErrorCode::Timeout,
                     fmt::format("{}: the server {} was silent for too long", doing, where)));
  }
  if (error == http::error::body_limit || error == http::error::header_limit) {
    return Err(Error(ErrorCode::TooLarge, fmt::format("the reply of {} is too large", where)));
  }
  if (error.category() == http::make_error_code(http::error::bad_version).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return Err(Error(ErrorCode::Internal,
                     fmt::format("{} does not speak HTTP: {}", where, error.message())));
  }
  return Err(Error(ErrorCode::BackendUnavailable,
                   fmt::format("{} {}: {}", doing, where, error.message())));
}

Result<> Connection::connect(const HttpCall& call) {
  if (url_.is_unix()) {
    const asio::local::stream_protocol::endpoint endpoint(url_.unix_path);
    const IoError error = drive(call, options_.connect_timeout,
                                [&](auto done) { socket_.async_connect(endpoint, done); });
    if (error) return failed(kConnecting, error);
    return {};
  }
  using asio::ip::tcp;
  tcp::resolver resolver(io_);
  std::vector<tcp::endpoint> endpoints;
  IoError error = drive(call, options_.connect_timeout, [&](auto done) {
    resolver.async_resolve(url_.host, std::to_string(url_.port), tcp::resolver::numeric_service,
                           [&endpoints, done](IoError problem, const auto& found) {
                             for (const auto& entry : found) endpoints.push_back(entry.endpoint());
                             done(problem);
                           });
  });
  if (error) return failed("looking up", error);
  for (const tcp::endpoint& endpoint : endpoints) {
    IoError ignored;
    if (socket_.is_open()) socket_.close(ignored);
    error = drive(call, options_.connect_timeout,
                  [&](auto done) { socket_.async_connect(endpoint, done); });
    if (!error || stopped_ == Stopped::GaveUp) break;
    stopped_ = Stopped::No;  // the next address has its own patience
  }
  if (error) return failed(kConnecting, error);
  socket_.set_option(tcp::no_delay(true), error);
  socket_.set_option(asio::socket_base::keep_alive(true), error);
  return {};
}

Result<> Connection::handshake(const HttpCall& call) {
  if (!tls_) return {};
  ::SSL* const session = tls_->native_handle();
  IoError no_address;
  asio::ip::make_address(url_.host, no_address);
  bool named = true;
  if (no_address) {
    named = SSL_set_tlsext_host_name(session, url_.host.c_str()) == 1 &&
            ::SSL_set1_host(session, url_.host.c_str()) == 1;
  } else {
    named = ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session), url_.host.c_str()) == 1;
  }
  if (!named) return Err(Error(ErrorCode::Internal, "the host's name cannot be used for TLS"));
  const IoError error = drive(call, options_.connect_timeout, [&](auto done) {
    tls_->async_handshake(ssl::stream_base::client, done);
  });
  if (!error) return {};
  const long verdict = ::SSL_get_verify_result(session);
  if (options_.verify_certificate && verdict != X509_V_OK) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("the certificate of {} is not trusted: {}", url_.host_header(),
                                 ::X509_verify_cert_error_string(verdict))));
  }
  return failed("agreeing on TLS with", error);
}

Result<> Connection::open(const HttpCall& call) {
  COVE_TRY(connect(call));
  return handshake(call);
}

Result<> Connection::read_body(const HttpCall& call, Parser& parser, bool streamed,
                               std::string& body) {
  std::array<char, 65536> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (!parser.is_done()) {
    parser.get().body().data = room.data();
    parser.get().body().size = room.size();
    IoError error = with_stream([&](auto& stream) {
      return drive(call, call.patience,
                   [&](auto done) { http::async_read_some(stream, buffer_, parser, done); });
    });
    if (error == http::error::need_buffer) error = {};
    if (error) return failed("reading from", error);
    const std::string_view piece(room.data(), room.size() - parser.get().body().size);
    if (piece.empty()) continue;
    if (streamed) {
      COVE_TRY(call.on_piece(piece));
      continue;
    }
    if (body.size() + piece.size() > options_.max_body.value) {
      return Err(Error(ErrorCode::TooLarge,
                       "the server's reply is larger than " + format_size(options_.max_body)));
    }
    body += piece;
  }
  return {};
}

IoError Connection::write_request(const HttpCall& call) {
  http::request<http::string_body> request;
  request.version(11);
  request.method_string(call.method);
  request.target(call.target);
  request.set(http::field::host, url_.host_header());
  request.set(http::field::user_agent, "cove/" + std::string(kVersion));
  for (const auto& [name, value] : call.headers) request.set(name, value);
  if (!call.content_type.empty()) request.set(http::field::content_type, call.content_type);
  request.body() = std::string(call.body);
  if (!call.content_type.empty() || call.method != "GET") request.prepare_payload();
  return with_stream([&](auto& stream) {
    return drive(call, call.patience, [&](auto done) { http::async_write(stream, request, done); });
  });
}

Result<HttpReply> Connection::exchange(const HttpCall& call, bool& retry) {
  reusable_ = false;
  retry = true;
  // A server that refuses a long body answers before it has read it: the reply is worth a look.
  const IoError write_error = write_request(call);

  Parser parser;
  parser.header_limit(kLongestHead);
  parser.body_limit(boost::none);  // counted in read_body
  const IoError error = with_stream([&](auto& stream) {
    return drive(call, call.patience,
                 [&](auto done) { http::async_read_header(stream, buffer_, parser, done); });
  });
  if (error) return failed(write_error ? "sending to" : "reading from", error);
  retry = false;
  HttpReply reply;
  reply.status = static_cast<int>(parser.get().result_int());
  if (reply.status < 200) {
    return Err(Error(ErrorCode::Internal,
                     fmt::format("the server answered with status {} alone", reply.status)));
  }
  reply.content_type = std::string(parser.get()[http::field::content_type]);
  reply.retry_after = std::string(parser.get()[http::field::retry_after]);
  const bool streamed = call.on_head && call.on_head(reply.status, reply.content_type);
  COVE_TRY(read_body(call, parser, streamed, reply.body));
  reusable_ = parser.keep_alive() && !write_error;
  return reply;
}

bool Connection::keep_waiting(const HttpCall& call) {
  if (stopped_ == Stopped::No && call.give_up && call.give_up()) {
    stopped_ = Stopped::GaveUp;
    IoError ignored;
    socket_.close(ignored);
  }
  return stopped_ == Stopped::No;
}

Result<> Connection::pump(const HttpConversation& conversation) {
  const HttpCall& call = conversation.call;
  std::array<char, 65536> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::string_view rest = conversation.input;
  bool reading = false;
  bool writing = false;
  bool heard = true;  // by the server, as far as is known
  std::size_t got = 0;
  IoError read_error;
  Result<> verdict;
  if (buffer_.size() > 0) {  // came together with the head
    const auto early = buffer_.data();
    COVE_TRY(call.on_piece({static_cast<const char*>(early.data()), early.size()}));
    buffer_.consume(early.size());
  }
  const auto on_read = [&](IoError error, std::size_t bytes) {
    reading = false;
    read_error = error;
    got = bytes;
  };
  const auto on_written = [&](IoError error, std::size_t bytes) {
    writing = false;
    rest.remove_prefix(bytes);
    if (!error) return;
    rest = {};  // nobody reads any more; what was said may still be worth reading
    heard = false;
  };
  // The handlers refer to what is here: none may be left when this ends.
  while (reading || writing || (!read_error && verdict && stopped_ == Stopped::No)) {
    const bool going = !read_error && verdict && stopped_ == Stopped::No;
    if (going && !reading) {
      reading = true;
      with_stream([&](auto& stream) { stream.async_read_some(asio::buffer(room), on_read); });
    }
    if (going && heard && rest.empty() && conversation.more_input) rest = conversation.more_input();
    if (going && !writing && !rest.empty()) {
      writing = true;
      const auto next = asio::buffer(rest.substr(0, room.size()));
      with_stream([&](auto& stream) { stream.async_write_some(next, on_written); });
    }
    io_.restart();
    io_.run_one_for(call.slice);
    keep_waiting(call);
    if (got > 0 && verdict) verdict = call.on_piece({room.data(), std::exchange(got, 0)});
    if (writing && (read_error || !verdict)) {
      IoError ignored;
      socket_.close(ignored);
    }
  }
  if (!verdict) return verdict;
  if (stopped_ != Stopped::No) return failed("talking to", read_error);
  // A TLS server that ends a raw stream often says no farewell.
  if (read_error == asio::error::eof || read_error == ssl::error::stream_truncated) return {};
  return failed("reading from", read_error);
}

Result<HttpReply> Connection::converse(const HttpConversation& conversation) {
  const HttpCall& call = conversation.call;
  const IoError write_error = write_request(call);
  Parser parser;
  parser.header_limit(kLongestHead);
  parser.body_limit(boost::none);
  const IoError error = with_stream([&](auto& stream) {
    return drive(call, call.patience,
                 [&](auto done) { http::async_read_header(stream, buffer_, parser, done); });
  });
  if (error) return failed(write_error ? "sending to" : "reading from", error);
  HttpReply reply;
  reply.status = static_cast<int>(parser.get().result_int());
  reply.content_type = std::string(parser.get()[http::field::content_type]);
  if (reply.status != 101 && reply.status != 200) {
    COVE_TRY(read_body(call, parser, false, reply.body));
    return reply;
  }
  if (conversation.on_open) conversation.on_open();
  COVE_TRY(pump(conversation));
  return reply;
}

class BeastTransport final : public HttpTransport {
 public:
  BeastTransport(ServerUrl url, TransportOptions options, std::unique_ptr<ssl::context> tls)
      : url_(std::move(url)), options_(std::move(options)), tls_(std::move(tls)) {}

  Result<HttpReply> exchange(const HttpCall& call) override {
    bool retry = false;
    if (auto kept = take_idle()) {
      auto reply = kept->exchange(call, retry);
      if (reply) give_back(std::move(kept));
      const bool harmless = call.method == "GET" && !(call.give_up && call.give_up());
      if (reply || !retry || !harmless || reply.error().code() != ErrorCode::BackendUnavailable) {
        return reply;
      }
    }
    auto fresh = std::make_unique<Connection>(url_, options_, tls_.get());
    COVE_TRY(fresh->open(call));
    auto reply = fresh->exchange(call, retry);
    if (reply) give_back(std::move(fresh));
    return reply;
  }

  Result<HttpReply> converse(const HttpConversation& conversation) override {
    Connection connection(url_, options_, tls_.get());
    COVE_TRY(connection.open(conversation.call));
    return connection.converse(conversation);
  }

 private:
  std::unique_ptr<Connection> take_idle() {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      auto last = std::move(idle_.back());
      idle_.pop_back();
      if (last->is_quiet()) return last;
    }
    return nullptr;
  }
  void give_back(std::unique_ptr<Connection> connection) {
    if (!connection->reusable()) return;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
  }

  ServerUrl url_;
  TransportOptions options_;
  std::unique_ptr<ssl::context> tls_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

// Who calls, for a server that asks.
Result<> show_certificate(ssl::context& context, const TransportOptions& options) {
  if (options.certificate_file.empty()) return {};
  IoError error;
  context.use_certificate_chain_file(options.certificate_file, error);
  if (!error) context.use_private_key_file(options.key_file, ssl::context::pem, error);
  if (!error) return {};
  return Err(Error(
      ErrorCode::InvalidRequest,
      fmt::format("the certificate {} with the key {} cannot be used: {}",
                  quoted(options.certificate_file), quoted(options.key_file), error.message())));
}

Result<std::unique_ptr<ssl::context>> make_context(const TransportOptions& options) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_client);
  ::SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  COVE_TRY(show_certificate(*context, options));
  IoError error;
  if (!options.verify_certificate) {
    context->set_verify_mode(ssl::verify_none, error);
    return context;
  }
  context->set_verify_mode(ssl::verify_peer, error);
  if (options.ca_file.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(options.ca_file, error);
  }
  if (!error) return context;
  return Err(
      Error(ErrorCode::InvalidRequest, fmt::format("the authorities in {} cannot be used: {}",
                                                   quoted(options.ca_file), error.message())));
}

}  // namespace

Result<std::unique_ptr<HttpTransport>> HttpTransport::create(ServerUrl url,
                                                             TransportOptions options) {
  std::unique_ptr<ssl::context> tls;
  if (url.tls) {
    COVE_ASSIGN(tls, make_context(options));
  }
  return std::make_unique<BeastTransport>(std::move(url), std::move(options), std::move(tls));
}

}  // namespace cove
