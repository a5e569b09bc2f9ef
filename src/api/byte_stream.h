#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

// Asio appears in this header: it is for the files of the HTTP core only.
namespace cove {

namespace asio = boost::asio;

using StreamSocket = asio::generic::stream_protocol::socket;  // TCP and unix alike
using TlsStream = asio::ssl::stream<StreamSocket>;
using IoError = boost::system::error_code;
using TwoBuffers = std::array<asio::const_buffer, 2>;

// A connected socket, plain or encrypted. Used on its executor (a strand) only.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual asio::any_io_executor executor() = 0;
  virtual asio::awaitable<IoError> handshake() = 0;
  virtual void read_some(asio::mutable_buffer room,
                         std::function<void(IoError, std::size_t)> done) = 0;
  virtual asio::awaitable<IoError> write(TwoBuffers bytes) = 0;
  // After a handshake that failed: the client spoke HTTP without TLS, and can be told so.
  virtual bool spoke_plainly() const { return false; }
  // Sends this unencrypted, and reads until the client closes or the stream is closed: an answer
  // that overtakes its request would be lost in a reset connection.
  virtual asio::awaitable<void> answer_plainly(std::string /*text*/) { co_return; }
  virtual void shutdown_send() = 0;
  virtual void close() = 0;
  // One of them, for what takes the stream over.
  virtual StreamSocket* plain() = 0;
  virtual TlsStream* encrypted() = 0;
};

std::unique_ptr<ByteStream> make_plain_stream(StreamSocket socket);
std::unique_ptr<ByteStream> make_tls_stream(StreamSocket socket, asio::ssl::context& context);

}  // namespace cove
