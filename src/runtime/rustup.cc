#include "runtime/rustup.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/strings.h"
#include "runtime/symlink_chain.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

// `default_toolchain = "stable-x86_64-unknown-linux-gnu"` of settings.toml.
std::string default_toolchain(const fs::path& home) {
  std::ifstream settings(home / "settings.toml");
  std::string line;
  for (int lines = 0; lines < 1000 && std::getline(settings, line); ++lines) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view text(line);
    if (trim(text.substr(0, equals)) != "default_toolchain") continue;
    std::string_view value = trim(text.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'')) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

// "stable" is short for the toolchain of this machine's kind.
std::optional<fs::path> toolchain_directory(const fs::path& home, const std::string& name) {
  const fs::path all = home / "toolchains";
  std::error_code error;
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) {
    return std::nullopt;
  }
  if (fs::is_directory(all / name, error)) return all / name;
  for (fs::directory_iterator it(all, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(name + "-")) return it->path();
  }
  return std::nullopt;
}

// <somewhere>/.cargo/bin/rustc has its settings in <somewhere>/.rustup, unless RUSTUP_HOME says
// otherwise.
fs::path rustup_home(const std::string& proxy) {
  if (const char* home = ::secure_getenv("RUSTUP_HOME"); home != nullptr && home[0] == '/') {
    return home;
  }
  return fs::path(proxy).parent_path().parent_path().parent_path() / ".rustup";
}

}  // namespace

bool is_rustup_proxy(const std::string& command) {
  const fs::path real = symlink_chain(command).back();
  return real.filename() == "rustup" && fs::path(command).filename() != "rustup";
}

std::optional<std::string> behind_rustup(const std::string& command,
                                         std::vector<std::string>& notes) {
  const fs::path home = rustup_home(symlink_chain(command).back());
  const std::string name = default_toolchain(home);
  const auto directory = toolchain_directory(home, name);
  if (directory) {
    std::string found = (*directory / "bin" / fs::path(command).filename()).string();
    if (::access(found.c_str(), X_OK) == 0) return found;
  }
  notes.push_back(fmt::format("{} is rustup's, and {} has no default toolchain with it", command,
                              home.string()));
  return std::nullopt;
}

}  // namespace cove
