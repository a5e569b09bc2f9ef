#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove doctor`: what this host can enforce, what is missing and how to get it; --prove attacks it.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace cove
