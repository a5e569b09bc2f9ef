#pragma once
#include <functional>
#include <stop_token>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace cove {

// What the subcommands of `cove tool` share, whether the tool is here or on a server.

// The name and first sentence of each, or one object.
void print_tools(const json::array& tools, bool as_json);

// The JSON schema of one tool's arguments.
Result<int> print_schema(const json::array& tools, const std::string& name);

// Gives the arguments of --json-args (JSON, @FILE, or - for stdin) to `call` and prints the answer,
// also where that is an error: one object, as a model gets it. SIGINT and SIGTERM cancel. Gives the
// exit code: that of `cove run` in the same case.
using CallTool = std::function<Result<json::object>(const json::value& arguments,
                                                    const std::stop_token& cancel)>;
int call_and_print(const std::string& json_args, const CallTool& call);

int exit_code_of_answer(const json::object& answer);

}  // namespace cove
