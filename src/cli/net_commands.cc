#include "cli/net_commands.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace cove {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNetCommands{
    {{"serve", "Run the HTTP server"},
     {"keys", "The keys of a server"},
     {"audit", "Check a server's audit log"},
     {"session", "Stateful sessions of a server"},
     {"ps", "What a server runs"},
     {"logs", "What an execution on a server has written"},
     {"top", "Watch a server at work"}}};

// Options of `run`, `languages` and `tool` whose value is the next word, which may look like an
// option itself.
constexpr std::array<std::string_view, 30> kRunValues{"-l",
                                                      "--language",
                                                      "-c",
                                                      "--code",
                                                      "--stdin",
                                                      "--file",
                                                      "--out",
                                                      "--env",
                                                      "--input",
                                                      "--timeout",
                                                      "--memory",
                                                      "--cpus",
                                                      "--pids",
                                                      "--disk",
                                                      "--cpu-time",
                                                      "--limit-scope",
                                                      "--policy",
                                                      "--profile",
                                                      "--truncate",
                                                      "--backend",
                                                      "--isolation",
                                                      "--key",
                                                      "--ca-file",
                                                      "--image",
                                                      "--engine",
                                                      "--runtime",
                                                      "--docker-host",
                                                      "--diagnostics",
                                                      "--json-args",
                                                      "--scope"};

// A server, or a Docker engine. The help is that of runs here for the latter.
bool runs_elsewhere(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::string& command = words.front();
  if (command != "run" && command != "languages" && command != "tool") return false;
  bool docker = false;
  bool help = false;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--server" || words[i].starts_with("--server=")) return true;
    const bool apart = words[i] == "--backend" && i + 1 < words.size() && words[i + 1] == "docker";
    docker = docker || apart || words[i] == "--backend=docker";
    help = help || words[i] == "--help" || words[i] == "-h";
    if (std::ranges::find(kRunValues, words[i]) != kRunValues.end()) ++i;
  }
  return docker && !help;
}

std::string own_directory() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return ".";
  const std::string_view text(path.data(), static_cast<std::size_t>(size));
  return std::string(text.substr(0, text.rfind('/')));
}

}  // namespace

std::vector<std::string> split_off_arguments(std::vector<std::string>& words) {
  const auto mark = std::ranges::find(words, "--");
  if (mark == words.end()) return {};
  std::vector<std::string> arguments(mark + 1, words.end());
  words.erase(mark, words.end());
  return arguments;
}

void add_net_commands(CLI::App& app) {
  for (const auto& [name, about] : kNetCommands) {
    app.add_subcommand(std::string(name), std::string(about));
  }
}

int hand_over_to_net(const std::vector<std::string>& words) {
  const bool ours =
      !words.empty() && std::ranges::any_of(kNetCommands, [&words](const auto& command) {
        return command.first == words.front();
      });
  if (!ours && !runs_elsewhere(words)) return -1;
  std::vector<char*> arguments;
  std::string name = "cove";
  arguments.push_back(name.data());
  std::vector<std::string> copies = words;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto path = find_net_command();
  if (!path) return report_error(path.error(), false);
  ::execv(path->c_str(), arguments.data());
  return report_error(Error::from_errno("starting " + *path), false);
}

Result<std::string> find_net_command() {
  const std::string here = own_directory();
  for (const std::string& path : {here + "/cove-net", here + "/../libexec/cove/cove-net"}) {
    if (::access(path.c_str(), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)) return path;
  }
  return Err(Error(ErrorCode::Internal, "cove-net, which holds this subcommand, is neither in " +
                                            here + " nor in " + here +
                                            "/../libexec/cove; is Cove fully installed?"));
}

}  // namespace cove
