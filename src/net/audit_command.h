#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove audit verify`: checks the chain of hashes of an audit log.
void add_audit_command(CLI::App& app, int& exit_code);

}  // namespace cove
