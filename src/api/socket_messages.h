#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/live_input.h"
#include "base/result.h"

namespace cove {

// What a client says on /v1/executions/ws:
//   {"type": "start", "request": {…}, "terminal": {"rows", "columns"}?}
//   {"type": "stdin", "data" | "data_base64"}     a binary message is the same, as raw bytes
//   {"type": "close_stdin"}, {"type": "cancel"}
//   {"type": "signal", "signal": "SIGINT" | "INT" | 2}, {"type": "resize", "rows", "columns"}
struct SocketStart {
  json::value request;
  std::optional<TerminalSize> terminal;
};
struct SocketStdin {
  std::string bytes;
};
struct SocketCloseStdin {};
struct SocketCancel {};
struct SocketSignal {
  int number = 0;
};
struct SocketResize {
  TerminalSize size;
};
using SocketMessage = std::variant<SocketStart, SocketStdin, SocketCloseStdin, SocketCancel,
                                   SocketSignal, SocketResize>;

Result<SocketMessage> decode_socket_message(std::string_view text);

}  // namespace cove
