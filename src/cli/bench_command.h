#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove bench`: what isolation costs here, measured side by side; exits 1 when a promised figure
// fails.
void add_bench_command(CLI::App& app, int& exit_code);

}  // namespace cove
