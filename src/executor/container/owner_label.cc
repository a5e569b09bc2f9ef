#include "executor/container/owner_label.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr std::string_view kUnknown = "0";

// The first line of a file without dashes, which part a label.
std::string word_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::erase_if(line, [](unsigned char c) { return std::isalnum(c) == 0; });
  return line.empty() ? std::string(kUnknown) : line;
}

std::string pid_namespace() {
  std::array<char, 64> text{};
  const ssize_t size = ::readlink("/proc/self/ns/pid", text.data(), text.size());
  if (size <= 0) return std::string(kUnknown);
  std::string inode;  // of "pid:[4026531836]"
  for (const char c : std::string_view(text.data(), static_cast<std::size_t>(size))) {
    if (c >= '0' && c <= '9') inode += c;
  }
  return inode;
}

// The 22nd field of /proc/PID/stat; empty when there is no such process. The second field is a name
// in parentheses that may hold anything.
std::string start_time(std::string_view pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return "";
  const auto fields = split(std::string_view(text).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // counted from the third
  return fields.size() > kStartTime ? std::string(fields[kStartTime]) : "";
}

struct Here {
  std::string machine = word_of("/etc/machine-id");
  std::string boot = word_of("/proc/sys/kernel/random/boot_id");
  std::string pids = pid_namespace();
};

}  // namespace

std::string owner_label() {
  const Here here;
  const std::string pid = std::to_string(::getpid());
  return fmt::format("{}-{}-{}-{}-{}", here.machine, here.boot, here.pids, pid, start_time(pid));
}

bool owner_is_dead(std::string_view label) {
  const auto parts = split(label, '-');
  if (parts.size() != 5) return false;
  const Here here;
  if (parts[0] != here.machine || parts[1] == kUnknown) return false;
  // Another boot of this machine, if it has a name; without one it could be any other machine.
  if (parts[1] != here.boot) return parts[0] != kUnknown;
  if (parts[2] != here.pids || parts[2] == kUnknown) return false;
  for (const char c : parts[3]) {
    if (c < '0' || c > '9') return false;
  }
  return start_time(parts[3]) != parts[4];
}

}  // namespace cove
