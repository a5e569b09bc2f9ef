#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove languages`: which languages are usable here, and why others are not.
void add_languages_command(CLI::App& app, int& exit_code);

}  // namespace cove
