#include "cli/tool_command.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/console.h"
#include "cli/executor_choice.h"
#include "cli/installation.h"
#include "cli/server_flags.h"
#include "cli/tool_call.h"
#include "tool/code_call.h"
#include "tool/code_tool.h"

namespace cove {

namespace {

struct ToolOptions {
  std::string name;  // of `schema`
  std::string json_args;
  std::vector<std::string> scopes;
  std::string policy = "strict";
  std::optional<std::string> isolation;
  bool json = false;
  ServerFlags server;
};

// `word` is a language that is enough to know.
Result<std::unique_ptr<CodeTool>> make_tool(const ToolOptions& options, const std::string& word) {
  COVE_ASSIGN(const Installation installation, load_installation(word));
  CodeToolOptions out;
  auto policy = installation.presets.find_or_load(options.policy);
  if (!policy) return Err(std::move(policy).error().with_context("--policy"));
  out.policy = std::move(*policy);
  BackendOptions backend;
  backend.isolation = options.isolation;
  COVE_ASSIGN(ExecutorChoice choice, choose_executor(backend, installation.catalog));
  return std::make_unique<CodeTool>(std::move(choice.executor), installation.catalog,
                                    std::move(out));
}

Result<json::array> tools_here(const ToolOptions& options) {
  COVE_ASSIGN(const auto tool, make_tool(options, ""));
  return json::array{describe_tool(*tool)};
}

Result<json::object> call_here(const ToolOptions& options, const json::value& arguments,
                               const std::stop_token& cancel) {
  std::string word = CodeToolOptions().language;
  if (arguments.is_object()) {
    const json::value* const language = arguments.get_object().if_contains("language");
    if (language != nullptr && language->is_string()) word = std::string(language->get_string());
  }
  COVE_ASSIGN(const auto tool, make_tool(options, word));
  ToolContext context;
  context.scopes = options.scopes;
  if (context.scopes.empty()) context.scopes = {std::string(kCodeScope), code_scope("*")};
  context.cancel = cancel;
  return tool->call(arguments, context);
}

void add_list(CLI::App& tool, const std::shared_ptr<ToolOptions>& options, int& exit_code,
              const std::function<bool(const CLI::App&)>& refuses) {
  CLI::App* const command = tool.add_subcommand("list", "The tools there are");
  command->add_flag("--json", options->json, "With schemas and scopes, as one JSON object");
  add_server_flags(*command, options->server, ": the tools of a server");
  command->callback([command, options, &exit_code, refuses] {
    if (refuses(*command)) return;
    const auto tools = tools_here(*options);
    if (tools) print_tools(*tools, options->json);
    if (!tools) exit_code = report_error(tools.error(), options->json);
  });
}

void add_schema(CLI::App& tool, const std::shared_ptr<ToolOptions>& options, int& exit_code,
                const std::function<bool(const CLI::App&)>& refuses) {
  CLI::App* const command = tool.add_subcommand("schema", "The JSON schema of a tool's arguments");
  command->add_option("NAME", options->name, "The tool")->required()->type_name("");
  command->add_flag("--json", options->json, "Errors are one JSON object, too");
  add_server_flags(*command, options->server, ": of a tool of a server");
  command->callback([command, options, &exit_code, refuses] {
    if (refuses(*command)) return;
    const auto printed = [&]() -> Result<int> {
      COVE_ASSIGN(const json::array tools, tools_here(*options));
      return print_schema(tools, options->name);
    }();
    exit_code = printed ? *printed : report_error(printed.error(), options->json);
  });
}

void add_code_exec(CLI::App& tool, const std::shared_ptr<ToolOptions>& options, int& exit_code,
                   const std::function<bool(const CLI::App&)>& refuses) {
  CLI::App* const command =
      tool.add_subcommand(std::string(kCodeToolName), "Run code, and answer with one JSON object");
  command->footer(
      "With --server, the key and the server decide what is granted and enforced: --scope, "
      "--policy "
      "and --isolation are for calls here.");
  command->add_option("--json-args", options->json_args, "The arguments; - reads them from stdin")
      ->required()
      ->type_name("JSON|@FILE|-");
  command
      ->add_option("--scope", options->scopes,
                   "Grant only this: code:execute, code:execute:LANGUAGE, code:execute:*; may be "
                   "repeated (default: all)")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->type_name("NAME");
  command->add_option("--policy", options->policy, "A policy's name or file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command->add_option("--isolation", options->isolation, "Level of the sandbox")
      ->check(CLI::IsMember({"namespaces", "landlock"}))
      ->default_str("namespaces");
  command->add_flag("--json", options->json, "Errors of the options are one JSON object, too");
  add_server_flags(*command, options->server, ": call it there");
  command->callback([command, options, &exit_code, refuses] {
    if (refuses(*command)) return;
    exit_code = call_and_print(options->json_args, [&options](const json::value& arguments,
                                                              const std::stop_token& cancel) {
      return call_here(*options, arguments, cancel);
    });
  });
}

}  // namespace

void add_tool_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("tool", "Call a tool as a language model does");
  command->require_subcommand(1);
  const auto options = std::make_shared<ToolOptions>();
  const auto refuses = [options, &exit_code](const CLI::App& subcommand) {
    std::string stray = stray_server_flag(subcommand);
    if (stray.empty()) return false;
    exit_code = report_error(Error(ErrorCode::InvalidRequest, std::move(stray)), options->json);
    return true;
  };
  add_list(*command, options, exit_code, refuses);
  add_schema(*command, options, exit_code, refuses);
  add_code_exec(*command, options, exit_code, refuses);
}

}  // namespace cove
