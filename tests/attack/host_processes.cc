#include "host_processes.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace cove::attack {

std::vector<int> processes_named(const std::string& name) {
  std::vector<int> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid == 0) continue;
    std::ifstream file(entry.path() / "comm");
    std::string own;
    if (std::getline(file, own) && own == name) found.push_back(pid);
  }
  return found;
}

long uid_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string word; file >> word;) {
    long uid = -1;
    if (word == "Uid:" && file >> uid) return uid;
  }
  return -1;
}

}  // namespace cove::attack
