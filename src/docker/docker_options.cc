#include "docker/docker_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "docker/container_scripts.h"
#include "model/limits.h"

namespace cove {

namespace {

constexpr std::string_view kPackages = "/packages";
// Processes besides those of executions: the container's own, and those that end others.
constexpr std::uint32_t kOwnProcesses = 32;

// In single quotes a shell changes nothing.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string with_words(std::string command, const std::vector<std::string>& words) {
  for (const std::string& word : words) command += " " + shell_word(word);
  return command;
}

bool is_absolute(std::string_view path) {
  return path.size() > 1 && path.front() == '/' && path.find('\0') == std::string_view::npos;
}

json::array mounts_of(const DockerOptions& options) {
  json::array mounts;
  for (const BindMount& mount : options.bind_mounts) {
    mounts.push_back({{"Type", "bind"},
                      {"Source", mount.source},
                      {"Target", mount.target},
                      {"ReadOnly", mount.read_only}});
  }
  // Without a source it is a volume of this container alone, and goes with it.
  if (options.packages) mounts.push_back({{"Type", "volume"}, {"Target", kPackages}});
  return mounts;
}

json::object tmpfs_of(const DockerOptions& options) {
  const std::string settings = fmt::format("rw,exec,nosuid,nodev,size={},nr_inodes={},mode=1777",
                                           options.disk.value, options.inodes);
  json::object tmpfs;
  tmpfs["/tmp"] = settings;
  // Listable, so that whatever a program puts beside its own directory is found and removed.
  tmpfs[options.work_dir] = settings;
  return tmpfs;
}

json::object host_config(const DockerOptions& options) {
  json::object host;
  host["NetworkMode"] = options.network_disabled ? "none" : "default";
  host["ReadonlyRootfs"] = true;
  host["Tmpfs"] = tmpfs_of(options);
  host["Memory"] = options.memory.value;
  host["MemorySwap"] = options.memory.value;  // memory and swap together: none is left for swap
  host["NanoCpus"] = static_cast<std::int64_t>(options.cpus * 1e9);
  host["PidsLimit"] = (options.max_concurrent * (options.processes + 1ULL)) + kOwnProcesses;
  host["Ulimits"] = json::array{{{"Name", "core"}, {"Soft", 0}, {"Hard", 0}}};
  host["CapDrop"] = json::array{"ALL"};
  host["SecurityOpt"] = json::array{"no-new-privileges"};
  host["Privileged"] = false;
  host["IpcMode"] = "private";
  host["Init"] = false;
  host["AutoRemove"] = options.auto_remove;
  host["Mounts"] = mounts_of(options);
  host["LogConfig"] = {{"Type", "none"}};
  if (!options.runtime.empty()) host["Runtime"] = options.runtime;
  return host;
}

}  // namespace

DockerOptions DockerOptions::python() {
  return {};
}

DockerOptions DockerOptions::node() {
  DockerOptions options;
  options.image = "node:20-slim";
  options.container_name_prefix = "cove-node";
  options.processes = 128;  // threads count, and each worker brings several
  return options;
}

DockerOptions DockerOptions::custom(std::string image) {
  DockerOptions options;
  options.image = std::move(image);
  options.container_name_prefix = "cove-custom";
  return options;
}

DockerOptions& DockerOptions::setup_command(std::string command) {
  setup_commands.push_back(std::move(command));
  return *this;
}

DockerOptions& DockerOptions::pip_install(const std::vector<std::string>& names) {
  packages = true;
  setup_commands.push_back(with_words(
      "pip install --no-cache-dir --disable-pip-version-check --target /packages/python --",
      names));
  return env("PYTHONPATH", "/packages/python");
}

DockerOptions& DockerOptions::npm_install(const std::vector<std::string>& names) {
  packages = true;
  setup_commands.push_back(with_words(
      "npm install --no-audit --no-fund --cache /tmp/npm --prefix /packages/node --", names));
  return env("NODE_PATH", "/packages/node/node_modules");
}

DockerOptions& DockerOptions::with_network() {
  network_disabled = false;
  return *this;
}

DockerOptions& DockerOptions::bind_mount(BindMount mount) {
  bind_mounts.push_back(std::move(mount));
  return *this;
}

DockerOptions& DockerOptions::env(std::string name, std::string value) {
  std::erase_if(environment, [&](const auto& variable) { return variable.first == name; });
  environment.emplace_back(std::move(name), std::move(value));
  return *this;
}

Result<> validate_docker_options(const DockerOptions& options) {
  const auto wrong = [](std::string field, std::string_view problem) {
    return Err(Error::invalid_field(std::move(field), problem));
  };
  if (options.image.empty()) return wrong("image", "must name an image, such as python:3.12-slim");
  if (!is_absolute(options.work_dir) || options.work_dir == "/tmp") {
    return wrong("work_dir", "must be an absolute path other than / and /tmp");
  }
  for (std::size_t i = 0; i < options.bind_mounts.size(); ++i) {
    const BindMount& mount = options.bind_mounts[i];
    const std::string field = fmt::format("bind_mounts[{}]", i);
    if (!is_absolute(mount.source)) return wrong(field + ".source", "must be an absolute path");
    if (!is_absolute(mount.target)) return wrong(field + ".target", "must be an absolute path");
    // Over these it would take the place of what Cove relies on.
    for (const std::string_view taken :
         {std::string_view(options.work_dir), std::string_view("/tmp"), kPackages,
          std::string_view("/proc"), std::string_view("/sys"), std::string_view("/dev"),
          std::string_view("/dev/shm")}) {
      if (mount.target == taken) {
        return wrong(field + ".target", "is a path that Cove needs itself");
      }
    }
  }
  for (const auto& [name, value] : options.environment) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return wrong("environment", "has a variable that no process can be given");
    }
  }
  Limits limits;
  limits.memory = options.memory;
  limits.cpus = options.cpus;
  limits.processes = options.processes;
  limits.disk = options.disk;
  limits.inodes = options.inodes;
  limits.descriptors = options.descriptors;
  COVE_TRY(validate_limits(limits, "limits"));
  if (options.max_concurrent < 1 || options.max_concurrent > 1000) {
    return wrong("max_concurrent", "must be from 1 to 1000");
  }
  if (options.user == 0U) {
    return wrong("user", "must not be 0: an execution never runs as root");
  }
  return {};
}

json::object container_request(const DockerOptions& options,
                               const std::vector<std::pair<std::string, std::string>>& labels) {
  json::object body;
  body["Image"] = options.image;
  body["Entrypoint"] = json::array{"sh", "-c", kLifelineScript};
  body["Cmd"] = json::array{};
  body["User"] = "65534:65534";
  body["WorkingDir"] = "/";
  json::array variables;
  for (const auto& [name, value] : options.environment) {
    variables.emplace_back(fmt::format("{}={}", name, value));
  }
  body["Env"] = std::move(variables);
  json::object label_object;
  for (const auto& [name, value] : labels) label_object[name] = value;
  body["Labels"] = std::move(label_object);
  // Its standard input is a connection of ours: when that ends, however it ends, so does the
  // container.
  body["AttachStdin"] = true;
  body["OpenStdin"] = true;
  body["StdinOnce"] = true;
  body["Tty"] = false;
  body["Healthcheck"] = {{"Test", json::array{"NONE"}}};
  body["HostConfig"] = host_config(options);
  return body;
}

}  // namespace cove
