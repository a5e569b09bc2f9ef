#include "net/remote_tool_command.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "cli/console.h"
#include "cli/tool_call.h"
#include "net/server_options.h"
#include "tool/code_call.h"

namespace cove {

namespace {

struct RemoteTool {
  int* exit_code = nullptr;
  std::shared_ptr<ServerOptions> server;
  std::string name;
  std::string json_args;
  bool json = false;
};

Result<json::array> tools_there(const RemoteTool& options) {
  COVE_ASSIGN(Client client, options.server->connect());
  return client.tools();
}

// One subcommand; `work` gives the exit code.
CLI::App* add(CLI::App& tool, const std::string& name, const std::string& about,
              const std::function<Result<int>(const RemoteTool&)>& work,
              const std::shared_ptr<RemoteTool>& options) {
  CLI::App* const command = tool.add_subcommand(name, about);
  command->add_flag("--json", options->json, "One JSON object, also for errors");
  options->server = add_server_options(*command);
  command->callback([options, server = options->server, work] {
    options->server = server;
    const auto done = work(*options);
    *options->exit_code = done ? *done : report_error(done.error(), options->json);
  });
  return command;
}

Result<int> list(const RemoteTool& options) {
  COVE_ASSIGN(const json::array tools, tools_there(options));
  print_tools(tools, options.json);
  return 0;
}

Result<int> schema(const RemoteTool& options) {
  COVE_ASSIGN(const json::array tools, tools_there(options));
  return print_schema(tools, options.name);
}

Result<int> call(const RemoteTool& options) {
  return call_and_print(options.json_args,
                        [&options](const json::value& arguments,
                                   const std::stop_token& cancel) -> Result<json::object> {
                          COVE_ASSIGN(Client client, options.server->connect());
                          return client.call_tool(kCodeToolName, arguments, cancel);
                        });
}

}  // namespace

void add_remote_tool_command(CLI::App& app, int& exit_code) {
  CLI::App* const tool = app.add_subcommand("tool", "Call a tool of a server");
  tool->require_subcommand(1);
  const auto options = std::make_shared<RemoteTool>();
  options->exit_code = &exit_code;
  add(*tool, "list", "The tools there are", list, options);
  add(*tool, "schema", "The JSON schema of a tool's arguments", schema, options)
      ->add_option("NAME", options->name, "The tool")
      ->required()
      ->type_name("");
  add(*tool, std::string(kCodeToolName), "Run code, and answer with one JSON object", call, options)
      ->add_option("--json-args", options->json_args, "The arguments; - reads them from stdin")
      ->required()
      ->type_name("JSON|@FILE|-");
}

}  // namespace cove
