#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove image import|list|show|rm`: root file systems for --backend image:NAME.
void add_image_command(CLI::App& app, int& exit_code);

}  // namespace cove
