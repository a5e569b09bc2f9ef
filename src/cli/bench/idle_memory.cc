#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "cli/bench/bench_runner.h"

namespace cove {

namespace {

constexpr std::size_t kGuests = 16;

std::optional<pid_t> parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The name, in parentheses, may hold anything; state and parent follow its last ')'.
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || end + 4 >= text.size()) return std::nullopt;
  pid_t parent = 0;
  const char* const begin = text.data() + end + 4;
  if (std::from_chars(begin, text.data() + text.size(), parent).ec != std::errc()) {
    return std::nullopt;
  }
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (const auto parent = parent_of(pid)) children.emplace(*parent, pid);
  }
  return children;
}

// Proportional set size: shared pages count in shares. A process that has just died has none.
std::optional<double> pss_mib(pid_t pid, std::string& note) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  if (!file && (errno == EACCES || errno == EPERM)) {
    note = "some processes could not be read (needs root)";
  }
  double kib = 0;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("Pss:")) continue;
    const std::size_t digit = line.find_first_of("0123456789");
    if (digit == std::string::npos) return std::nullopt;
    const auto end = line.data() + line.size();
    if (std::from_chars(line.data() + digit, end, kib).ec != std::errc()) return std::nullopt;
    return kib / 1024;
  }
  return std::nullopt;
}

}  // namespace

Result<IdleMemory> measure_idle_memory(const Installation& installation) {
  COVE_ASSIGN(const auto executor, make_executor(installation.catalog, "python", kGuests));
  const auto children = children_by_parent();
  IdleMemory memory;
  memory.guests = kGuests;
  double total = 0;
  std::vector<pid_t> open{::getpid()};
  while (!open.empty()) {
    const pid_t pid = open.back();
    open.pop_back();
    const auto [first, last] = children.equal_range(pid);
    for (auto child = first; child != last; ++child) open.push_back(child->second);
    if (pid == ::getpid()) continue;
    if (const auto pss = pss_mib(pid, memory.note)) total += *pss;
  }
  memory.per_guest_mib = total / static_cast<double>(kGuests);
  Samples alone;
  for (const int pid : executor->waiting_processes()) {
    if (const auto pss = pss_mib(pid, memory.note)) alone.add(*pss);
  }
  memory.alone_mib = alone.median();
  return memory;
}

}  // namespace cove
