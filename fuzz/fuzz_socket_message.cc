// Hostile WebSocket messages into the model: refused with a message that is valid UTF-8, or
// something that can be acted on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/load_config.h"
#include "api/socket_messages.h"
#include "api/submission_codec.h"
#include "base/strings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cove::ServerConfig config = cove::load_config({})->config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto message = cove::decode_socket_message(text);
  if (!message) {
    if (message.error().code() != cove::ErrorCode::InvalidRequest) std::abort();
    if (!cove::is_valid_utf8(message.error().message())) std::abort();
    return 0;
  }
  if (const auto* signal = std::get_if<cove::SocketSignal>(&*message)) {
    if (signal->number < 1 || signal->number > 31) std::abort();
  }
  if (const auto* resize = std::get_if<cove::SocketResize>(&*message)) {
    if (resize->size.rows == 0 || resize->size.columns == 0) std::abort();
  }
  if (const auto* start = std::get_if<cove::SocketStart>(&*message)) {
    const cove::RequestGuard guard(config, {});
    const auto decoded = cove::decode_submission_value(start->request, guard);
    if (!decoded && !cove::is_valid_utf8(decoded.error().message())) std::abort();
  }
  return 0;
}
