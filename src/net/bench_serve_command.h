#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove-net bench-serve`, which `make bench-serve` runs: a server under load, beside an alternative
// and beside the library called directly.
void add_bench_serve_command(CLI::App& app, int& exit_code);

}  // namespace cove
