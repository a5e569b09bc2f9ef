#pragma once
#include <chrono>
#include <memory>

#include <boost/asio/awaitable.hpp>

#include "api/byte_stream.h"
#include "api/http_message.h"
#include "api/web_socket.h"
#include "base/bytes.h"

namespace cove {

struct WebSocketSetup {
  const HttpRequest* request = nullptr;  // the handshake; read before the first message
  HeaderList headers;                    // of the 101
  std::shared_ptr<WebSocketHandler> handler;
  Bytes message_limit;
  Bytes send_buffer;
  std::chrono::milliseconds idle_timeout{0};  // a ping goes out at half of it
  std::chrono::milliseconds handshake_timeout{0};
  std::chrono::milliseconds write_timeout{0};
};

// Speaks WebSocket on a stream until one side closes. The caller owns the stream and must not use
// it meanwhile.
asio::awaitable<void> serve_websocket(StreamSocket& stream, WebSocketSetup setup);
asio::awaitable<void> serve_websocket(TlsStream& stream, WebSocketSetup setup);

}  // namespace cove
