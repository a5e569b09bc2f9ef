#include "cli/tool_call.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parse_json.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/read_input.h"
#include "model/request_codec.h"
#include "tool/code_call.h"
#include "tool/tool.h"

namespace cove {

namespace {

// From a server it could be anything.
std::string text_of(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string name_of_tool(const json::value& tool) {
  return tool.is_object() ? text_of(tool.get_object(), "name") : "";
}

Result<json::value> read_arguments(const std::string& text) {
  std::string content = text;
  if (text == "-" || text.starts_with('@')) {
    COVE_ASSIGN(content,
                read_input(text == "-" ? text : text.substr(1), RequestSizeLimits{}.total));
  }
  JsonParseLimits limits;
  limits.depth = RequestSizeLimits{}.json_depth;
  return parse_json(content, limits);
}

Result<json::object> answer_to(const std::string& json_args, const CallTool& call,
                               const std::stop_source& stop) {
  auto arguments = read_arguments(json_args);
  if (!arguments) return Err(std::move(arguments).error().with_context("--json-args"));
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  return call(*arguments, stop.get_token());
}

}  // namespace

void print_tools(const json::array& tools, bool as_json) {
  std::string text;
  for (const json::value& tool : tools) {
    if (as_json || !tool.is_object()) continue;
    const std::string about = text_of(tool.get_object(), "description");
    text += fmt::format("{}  {}\n", escape_file_name(name_of_tool(tool)),
                        escape_file_name(about.substr(0, about.find(". "))));
  }
  if (as_json) text = write_json(json::object{{"tools", tools}}) + "\n";
  (void)write_fully(STDOUT_FILENO, text);
}

Result<int> print_schema(const json::array& tools, const std::string& name) {
  std::vector<std::string> names;
  for (const json::value& tool : tools) {
    names.push_back(name_of_tool(tool));
    if (names.back() != name) continue;
    const json::value* const schema = tool.get_object().if_contains("parameters");
    (void)write_fully(STDOUT_FILENO,
                      write_json(schema == nullptr ? json::value() : *schema) + "\n");
    return 0;
  }
  return Err(Error(ErrorCode::NotFound, fmt::format("there is no tool {}; there are {}",
                                                    quoted(name), join(names, ", "))));
}

int call_and_print(const std::string& json_args, const CallTool& call) {
  std::stop_source stop;
  const auto started = std::chrono::steady_clock::now();
  const auto answered = answer_to(json_args, call, stop);
  json::object answer = answered ? *answered : tool_error(answered.error());
  if (!answered && stop.stop_requested()) {
    // A server that is left cannot answer any more: the same words as for a call here.
    ExecutionResult cancelled;
    cancelled.status = ExecutionStatus::Cancelled;
    cancelled.duration = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - started);
    answer = encode_code_result(cancelled, {});
  }
  if (!write_fully(STDOUT_FILENO, write_json(answer) + "\n")) return kExitReaderGone;
  return stop.stop_requested() ? kExitCancelled : exit_code_of_answer(answer);
}

int exit_code_of_answer(const json::object& answer) {
  const std::string status = text_of(answer, "status");
  if (status == "compile_error") return 1;
  if (status == "timeout") return kExitTimeout;
  if (status == "memory_exceeded") return kExitOom;
  // A program that ended without a value did run.
  if (status != "success") return answer.contains("exit_code") ? 1 : kExitRefused;
  if (const auto number = signal_number(text_of(answer, "signal"))) {
    return kExitSignalBase + *number;
  }
  const json::value* const code = answer.if_contains("exit_code");
  if (code == nullptr || !code->is_int64()) return kExitRefused;
  const std::int64_t number = code->get_int64();
  return number >= 0 && number <= 255 ? static_cast<int>(number) : kExitRefused;
}

}  // namespace cove
