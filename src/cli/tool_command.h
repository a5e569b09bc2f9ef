#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove tool list`, `cove tool schema NAME`, `cove tool code_exec`: tools as a language model calls
// them, on this machine.
void add_tool_command(CLI::App& app, int& exit_code);

}  // namespace cove
