#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/executor_choice.h"
#include "cli/run_options.h"
#include "model/execution_request.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// Makes the backend for a request. The limits are those of its language's profile.
using ChooseExecutor =
    std::function<Result<ExecutorChoice>(const RunOptions& options, const ExecutionRequest& request,
                                         RuntimeCatalog catalog, const Limits& profile_limits)>;

// What `cove run` does with its options, on any backend of this machine. Gives the exit code.
Result<int> run_program(const RunOptions& options, const ChooseExecutor& choose);

// `cove run`: one program, its output, its exit code. `args` are the words after `--`.
void add_run_command(CLI::App& app, const std::vector<std::string>& args, int& exit_code);

}  // namespace cove
