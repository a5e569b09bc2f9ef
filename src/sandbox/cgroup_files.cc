#include "sandbox/cgroup_files.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

namespace cove::sandbox {
namespace {

constexpr int kRemovalAttempts = 20;

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const auto end = std::min(text.find(by, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// When a process started, in clock ticks: tells a process from a later one with the same id.
std::optional<std::uint64_t> start_time(std::uint64_t pid) {
  const std::string stat = slurp(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(')');  // the name may hold spaces and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view(stat).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // field 22, counted after the name
  return fields.size() > kStartTime ? to_number(fields[kStartTime]) : std::nullopt;
}

// False when there is nobody to kill. A member that we cannot see is listed as 0.
bool kill_listed(const std::string& members) {
  bool any = false;
  std::istringstream pids(slurp(members));
  for (pid_t pid = 0; pids >> pid;) {
    any = true;
    if (pid > 0) ::kill(pid, SIGKILL);
  }
  return any;
}

// The group's path below its mount: the mount may itself show only a part of the hierarchy.
std::string below_mount(const std::string& mount_root, const std::string& group) {
  if (mount_root == "/") return group == "/" ? "" : group;
  if (group == mount_root || group.starts_with(mount_root + "/")) {
    return group.substr(mount_root.size());
  }
  return group == "/" ? "" : group;
}

}  // namespace

Result<> write_value(const std::string& path, std::string_view value) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return Err(Error::from_errno("open " + path));
  if (::write(file.get(), value.data(), value.size()) < 0) {
    return Err(Error::from_errno(fmt::format("write {} to {}", value, path)));
  }
  return {};
}

std::optional<std::uint64_t> first_number(std::string_view text) {
  return to_number(text);
}

std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key) {
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      return to_number(std::string_view(line).substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(const std::string& path) {
  return first_number(slurp(path));
}

std::optional<std::uint64_t> read_keyed(const std::string& path, std::string_view key) {
  return keyed_number(slurp(path), key);
}

bool kill_until_empty(const std::string& members, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (kill_listed(members)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

OpenValue::OpenValue(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

std::string OpenValue::text() const {
  std::array<char, 1024> buffer{};
  const ssize_t n = file_ ? ::pread(file_.get(), buffer.data(), buffer.size(), 0) : 0;
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

std::vector<CgroupMount> parse_groups(std::string_view mountinfo, std::string_view cgroup) {
  std::vector<CgroupMount> found;
  for (const auto& line : split(mountinfo, '\n')) {
    // "36 35 98:0 ROOT MOUNTPOINT options … - TYPE source superoptions"
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto fields = split(line, ' ');
    const auto tail = split(std::string_view(line).substr(dash + 3), ' ');
    if (fields.size() < 6 || tail.size() < 3 || (tail[0] != "cgroup" && tail[0] != "cgroup2"))
      continue;
    const bool v2 = tail[0] == "cgroup2";
    const auto options = split(tail[2], ',');
    for (const auto& entry : split(cgroup, '\n')) {
      const auto parts = split(entry, ':');  // "4:memory:/path" or "0::/path"
      if (parts.size() < 3) continue;
      const auto controllers = split(parts[1], ',');
      const bool ours = v2 ? parts[1].empty()
                           : !parts[1].empty() && std::find(options.begin(), options.end(),
                                                            controllers.front()) != options.end();
      if (!ours) continue;
      const std::string group = entry.substr(parts[0].size() + parts[1].size() + 2);
      found.push_back({v2, v2 ? std::vector<std::string>{} : controllers,
                       fields[4] + below_mount(fields[3], group)});
    }
  }
  return found;
}

std::vector<CgroupMount> own_groups() {
  return parse_groups(slurp("/proc/self/mountinfo"), slurp("/proc/self/cgroup"));
}

std::string owner_prefix() {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return fmt::format("cove-{}-{}", pid, start_time(pid).value_or(0));
}

bool is_leftover(std::string_view name) {
  const auto parts = split(name, '-');
  if (parts.size() < 3 || parts[0] != "cove") return false;
  const auto pid = to_number(parts[1]);
  const auto started = to_number(parts[2]);
  if (!pid || !started) return false;
  return start_time(*pid) != started;
}

void sweep_leftovers(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (!entry.is_directory(ignored) || !is_leftover(entry.path().filename().string())) continue;
    // A group can be removed once its members are gone, a moment after they were killed.
    for (int attempt = 0; attempt < kRemovalAttempts; ++attempt) {
      kill_listed(entry.path() / "cgroup.procs");
      if (::rmdir(entry.path().c_str()) == 0 || errno != EBUSY) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace cove::sandbox
