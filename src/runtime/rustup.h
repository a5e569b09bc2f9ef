#pragma once
#include <optional>
#include <string>
#include <vector>

namespace cove {

// Whether the command is rustup's proxy: it asks the user's settings which toolchain to start, and
// those are not visible in a sandbox.
bool is_rustup_proxy(const std::string& command);

// The command of the default toolchain that the proxy would start, from RUSTUP_HOME or the
// directory beside the proxy's. Nothing is started. What is in the way goes to `notes`.
std::optional<std::string> behind_rustup(const std::string& command,
                                         std::vector<std::string>& notes);

}  // namespace cove
