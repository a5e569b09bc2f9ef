#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove policy show` and `cove policy check`.
void add_policy_command(CLI::App& app, int& exit_code);

}  // namespace cove
