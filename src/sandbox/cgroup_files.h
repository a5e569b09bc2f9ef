#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove::sandbox {

// Small files of a control group.
Result<> write_value(const std::string& path, std::string_view value);
std::optional<std::uint64_t> read_number(const std::string& path);
// The number behind `key` in a file of "key number" lines.
std::optional<std::uint64_t> read_keyed(const std::string& path, std::string_view key);

std::optional<std::uint64_t> first_number(std::string_view text);
std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key);

// Kills whoever is listed in a group's file of members, again and again: who was about to fork when
// the first signal went out has children by then. True once the list is empty.
bool kill_until_empty(const std::string& members, std::chrono::milliseconds patience);

// A file of a group that stays open, so that reading it again is one system call.
class OpenValue {
 public:
  OpenValue() = default;
  explicit OpenValue(const std::string& path);
  std::string text() const;

 private:
  UniqueFd file_;
};

// Where a hierarchy is mounted and which group of it we are in.
struct CgroupMount {
  bool v2 = false;
  std::vector<std::string> controllers;  // v1: those of this hierarchy
  std::string path;                      // directory of our own group
};
std::vector<CgroupMount> own_groups();
// The same, from the text of /proc/self/mountinfo and /proc/self/cgroup.
std::vector<CgroupMount> parse_groups(std::string_view mountinfo, std::string_view cgroup);

// Names carry who made them: "cove-PID-STARTTIME-N". A name whose process is gone is a leftover.
std::string owner_prefix();
bool is_leftover(std::string_view name);
void sweep_leftovers(const std::string& directory);

}  // namespace cove::sandbox
