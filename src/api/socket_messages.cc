#include "api/socket_messages.h"

#include <signal.h>

#include <array>
#include <utility>

#include "base/base64.h"
#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"

namespace cove {

namespace {

// What may be sent to a program. All of them reach its main process only.
constexpr std::array<std::pair<std::string_view, int>, 12> kSignals{{{"SIGHUP", SIGHUP},
                                                                     {"SIGINT", SIGINT},
                                                                     {"SIGQUIT", SIGQUIT},
                                                                     {"SIGKILL", SIGKILL},
                                                                     {"SIGUSR1", SIGUSR1},
                                                                     {"SIGUSR2", SIGUSR2},
                                                                     {"SIGALRM", SIGALRM},
                                                                     {"SIGTERM", SIGTERM},
                                                                     {"SIGCONT", SIGCONT},
                                                                     {"SIGSTOP", SIGSTOP},
                                                                     {"SIGTSTP", SIGTSTP},
                                                                     {"SIGWINCH", SIGWINCH}}};

Result<unsigned short> read_extent(JsonFields& fields, std::string_view name) {
  COVE_TRY(fields.require(name));
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (!number || *number < 1 || *number > 10'000) {
    return fields.error(name, "must be between 1 and 10000");
  }
  return static_cast<unsigned short>(*number);
}

Result<TerminalSize> read_size(JsonFields& fields) {
  TerminalSize size;
  COVE_ASSIGN(size.rows, read_extent(fields, "rows"));
  COVE_ASSIGN(size.columns, read_extent(fields, "columns"));
  return size;
}

Result<SocketMessage> decode_start(JsonFields& fields) {
  COVE_TRY(fields.require("request"));
  SocketStart start;
  start.request = *fields.find("request");
  if (const json::value* terminal = fields.find("terminal")) {
    COVE_ASSIGN(JsonFields inner, JsonFields::of(*terminal, "terminal"));
    COVE_ASSIGN(start.terminal, read_size(inner));
    COVE_TRY(inner.no_others());
  }
  COVE_TRY(fields.no_others());
  return start;
}

Result<SocketMessage> decode_stdin(JsonFields& fields) {
  std::optional<std::string> text;
  std::optional<std::string> encoded;
  COVE_TRY(fields.read("data", text));
  COVE_TRY(fields.read("data_base64", encoded));
  COVE_TRY(fields.no_others());
  if (text.has_value() == encoded.has_value()) {
    return fields.error("data", "must be given, or data_base64, but not both");
  }
  if (text) return SocketStdin{std::move(*text)};
  auto bytes = base64_decode(*encoded);
  if (!bytes) return fields.error("data_base64", bytes.error().message());
  return SocketStdin{std::move(*bytes)};
}

Result<SocketMessage> decode_signal(JsonFields& fields) {
  COVE_TRY(fields.require("signal"));
  const json::value& value = *fields.find("signal");
  COVE_TRY(fields.no_others());
  std::string allowed;
  for (const auto& [name, number] : kSignals) {
    const bool named = value.is_string() &&
                       (value.get_string() == name || value.get_string() == name.substr(3));  // INT
    if (named) return SocketSignal{number};
    if (value.is_int64() && value.get_int64() == number) return SocketSignal{number};
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  return fields.error("signal", "must be one of " + allowed + " or its number");
}

}  // namespace

Result<SocketMessage> decode_socket_message(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_json(text));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  std::string type;
  COVE_TRY(fields.require("type"));
  COVE_TRY(fields.read("type", type));
  if (type == "start") return decode_start(fields);
  if (type == "stdin") return decode_stdin(fields);
  if (type == "signal") return decode_signal(fields);
  if (type == "resize") {
    COVE_ASSIGN(const TerminalSize size, read_size(fields));
    COVE_TRY(fields.no_others());
    return SocketResize{size};
  }
  if (type == "close_stdin" || type == "cancel") {
    COVE_TRY(fields.no_others());
    if (type == "cancel") return SocketCancel{};
    return SocketCloseStdin{};
  }
  return fields.error(
      "type", "must be start, stdin, close_stdin, signal, resize or cancel, got " + quoted(type));
}

}  // namespace cove
