#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove session files`: lists the files of a session; gets, puts and removes one.
void add_session_files_command(CLI::App& session, int& exit_code);

}  // namespace cove
