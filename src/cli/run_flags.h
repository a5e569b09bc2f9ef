#pragma once
#include "cli/run_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// The options of `cove run`, the same for a run here and for one on a server.
void add_run_options(CLI::App& command, RunOptions& o);

}  // namespace cove
