#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/result.h"

namespace cove {

// A directory or file of the engine's host that the container sees.
struct BindMount {
  std::string source;  // on the machine where the engine runs
  std::string target;  // in the container
  bool read_only = true;
};

// What a persistent container is made of. Everything is closed at first: no network, a read-only
// root, no host files, no capabilities, limits on memory, processors, processes and disk. The
// setters say what a caller wants opened; capabilities and the requests that are accepted follow
// from it.
struct DockerOptions {
  static DockerOptions python();  // python:3.12-slim
  static DockerOptions node();    // node:20-slim
  static DockerOptions custom(std::string image);

  // Set-up commands run with `sh -c` in this order when the container has started, as its root user
  // without capabilities. The first that fails ends the start; the container is removed.
  DockerOptions& setup_command(std::string command);
  // Packages for all executions, in the directory /packages. Without with_network() they must come
  // from somewhere else than an index: a bind mount with wheels, say.
  DockerOptions& pip_install(const std::vector<std::string>& packages);
  DockerOptions& npm_install(const std::vector<std::string>& packages);
  DockerOptions& with_network();  // of the engine's default network
  DockerOptions& bind_mount(BindMount mount);
  DockerOptions& env(std::string name, std::string value);  // of the container: all executions

  std::string image = "python:3.12-slim";
  std::string work_dir = "/workspace";  // each execution has a directory of its own below it
  std::vector<std::string> setup_commands;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<BindMount> bind_mounts;
  bool network_disabled = true;
  std::string container_name_prefix = "cove-python";
  bool auto_start = true;  // the first execute() starts it, and so does one that finds it gone
  // stop() removes it; otherwise it stays, ended, to be looked at until cleanup() or the next
  // start.
  bool auto_remove = true;
  bool packages = false;  // there is a directory /packages that set-up commands may fill

  Bytes memory = Bytes::mib(512);    // of the container: its executions share it; no swap
  double cpus = 1.0;                 // likewise
  std::uint32_t processes = 64;      // of each execution
  Bytes disk = Bytes::mib(64);       // of work_dir, and again of /tmp
  std::uint32_t inodes = 16384;      // likewise
  std::uint32_t descriptors = 256;   // of each process
  std::uint32_t max_concurrent = 4;  // executions at once; further ones wait
  // Executions run as this user and group, one at a time, instead of each as a user of its own that
  // nobody else is: for host directories that they shall write to.
  std::optional<std::uint32_t> user;
  std::string runtime;  // of the engine: "runsc"; empty: its default
  std::chrono::milliseconds setup_timeout = std::chrono::minutes(10);
};

// Refuses what no engine could use, and names the option.
Result<> validate_docker_options(const DockerOptions& options);

// The body of the call that creates the container: public, so that a program's own tests can assert
// what it is held to. `labels` are added to it.
json::object container_request(const DockerOptions& options,
                               const std::vector<std::pair<std::string, std::string>>& labels);

}  // namespace cove
