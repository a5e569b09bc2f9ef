#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cove {

// Close codes of RFC 6455 that we send.
inline constexpr std::uint16_t kWsNormal = 1000;
inline constexpr std::uint16_t kWsGoingAway = 1001;
inline constexpr std::uint16_t kWsProtocolError = 1002;
inline constexpr std::uint16_t kWsBadData = 1007;
inline constexpr std::uint16_t kWsPolicy = 1008;
inline constexpr std::uint16_t kWsTooBig = 1009;
inline constexpr std::uint16_t kWsInternal = 1011;

// The sending side of a WebSocket. Any thread; never blocks.
class WebSocketPeer {
 public:
  virtual ~WebSocketPeer() = default;
  // False, and nothing is kept, when the bounded buffer is full or the peer is gone; `must_keep`
  // ignores the bound.
  virtual bool send_text(std::string message, bool must_keep = false) = 0;
  // Behind what was sent. The reason is cut to what a close frame can hold.
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
};

// What arrives, in order, one call at a time, on a thread of the server.
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  virtual void on_open(std::shared_ptr<WebSocketPeer> peer) = 0;
  virtual void on_message(std::string_view message, bool is_text) = 0;
  virtual void on_gone() = 0;  // the last call
};

}  // namespace cove
