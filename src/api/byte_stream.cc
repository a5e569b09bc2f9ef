#include "api/byte_stream.h"

#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace cove {

namespace {

void close_socket(StreamSocket& socket) {
  IoError ignored;
  socket.close(ignored);
}

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(StreamSocket socket) : socket_(std::move(socket)) {}

  asio::any_io_executor executor() override { return socket_.get_executor(); }
  asio::awaitable<IoError> handshake() override { co_return IoError(); }
  void read_some(asio::mutable_buffer room,
                 std::function<void(IoError, std::size_t)> done) override {
    socket_.async_read_some(room, std::move(done));
  }
  asio::awaitable<IoError> write(TwoBuffers bytes) override {
    IoError error;
    co_await asio::async_write(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  void shutdown_send() override {
    IoError ignored;
    socket_.shutdown(StreamSocket::shutdown_send, ignored);
  }
  void close() override { close_socket(socket_); }
  StreamSocket* plain() override { return &socket_; }
  TlsStream* encrypted() override { return nullptr; }

 private:
  StreamSocket socket_;
};

class EncryptedStream final : public ByteStream {
 public:
  EncryptedStream(StreamSocket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}

  asio::any_io_executor executor() override { return stream_.get_executor(); }
  asio::awaitable<IoError> handshake() override {
    IoError error;
    co_await stream_.next_layer().async_wait(StreamSocket::wait_read,
                                             asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return error;
    // A TLS client begins with a record of type 22, an HTTP request with a letter of its method.
    char first = 0;
    const ssize_t got =
        ::recv(stream_.next_layer().native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    spoke_plainly_ = got == 1 && first >= 'A' && first <= 'Z';
    if (spoke_plainly_) co_return asio::error::no_protocol_option;
    co_await stream_.async_handshake(TlsStream::server,
                                     asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  void read_some(asio::mutable_buffer room,
                 std::function<void(IoError, std::size_t)> done) override {
    stream_.async_read_some(room, std::move(done));
  }
  asio::awaitable<IoError> write(TwoBuffers bytes) override {
    IoError error;
    co_await asio::async_write(stream_, bytes, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  bool spoke_plainly() const override { return spoke_plainly_; }
  asio::awaitable<void> answer_plainly(std::string text) override {
    IoError error;
    StreamSocket& socket = stream_.next_layer();
    co_await asio::async_write(socket, asio::buffer(text),
                               asio::redirect_error(asio::use_awaitable, error));
    shutdown_send();
    std::array<char, 4096> ignored;
    while (!error) {
      co_await socket.async_read_some(asio::buffer(ignored),
                                      asio::redirect_error(asio::use_awaitable, error));
    }
  }
  // The peer knows the length of every answer, so a missing close_notify cannot cut one short.
  void shutdown_send() override {
    IoError ignored;
    stream_.next_layer().shutdown(StreamSocket::shutdown_send, ignored);
  }
  void close() override { close_socket(stream_.next_layer()); }
  StreamSocket* plain() override { return nullptr; }
  TlsStream* encrypted() override { return &stream_; }

 private:
  TlsStream stream_;
  bool spoke_plainly_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(StreamSocket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<ByteStream> make_tls_stream(StreamSocket socket, asio::ssl::context& context) {
  return std::make_unique<EncryptedStream>(std::move(socket), context);
}

}  // namespace cove
