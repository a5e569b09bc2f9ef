#include "sandbox/cgroup_v2.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

namespace cove::sandbox {
namespace {

constexpr int kPeriod = 100'000;

class GroupV2 final : public Cgroup {
 public:
  explicit GroupV2(std::string path) : path_(std::move(path)) {}
  ~GroupV2() override { ::rmdir(path_.c_str()); }
  GroupV2(const GroupV2&) = delete;
  GroupV2& operator=(const GroupV2&) = delete;

  Result<> open() {
    if (::mkdir(path_.c_str(), 0755) != 0 && errno != EEXIST) {
      return Err(Error::from_errno("mkdir " + path_));
    }
    join_.reset(::open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!join_) return Err(Error::from_errno("open " + path_ + "/cgroup.procs"));
    oom_ = OpenValue(path_ + "/memory.events");
    forks_ = OpenValue(path_ + "/pids.events");
    cpu_ = OpenValue(path_ + "/cpu.stat");
    peak_ = OpenValue(path_ + "/memory.peak");
    return {};
  }

  Result<> set_limits(const CgroupLimits& limits) override {
    if (limits_ == limits) return {};
    limits_.reset();
    COVE_TRY(write_value(path_ + "/memory.max", std::to_string(limits.memory_bytes)));
    // One process out of memory ends them all: no half-dead guest.
    COVE_TRY(write_value(path_ + "/memory.oom.group", "1"));
    if (::access((path_ + "/memory.swap.max").c_str(), W_OK) == 0) {
      COVE_TRY(write_value(path_ + "/memory.swap.max", "0"));
    }
    COVE_TRY(write_value(path_ + "/pids.max", std::to_string(limits.processes + 1)));
    const long quota = std::max(1000L, static_cast<long>(limits.cpus * kPeriod));
    COVE_TRY(write_value(path_ + "/cpu.max", fmt::format("{} {}", quota, kPeriod)));
    limits_ = limits;
    return {};
  }

  std::vector<int> join_fds() const override { return {join_.get()}; }

  Result<> move_in(pid_t pid) override {
    return write_value(path_ + "/cgroup.procs", std::to_string(pid));
  }

  bool kill_members(std::chrono::milliseconds patience) override {
    limits_.reset();
    static_cast<void>(write_value(path_ + "/pids.max", "0"));
    return kill_until_empty(path_ + "/cgroup.procs", patience);
  }

  std::uint64_t memory_in_use() const override {
    return read_number(path_ + "/memory.current").value_or(0);
  }

  CgroupUsage usage() const override {
    CgroupUsage now = read();
    now.oom_kills -= before_.oom_kills;
    now.refused_forks -= before_.refused_forks;
    now.cpu -= before_.cpu;
    return now;
  }

  int oom_event_fd() const override { return -1; }
  void reset() override {
    before_ = read();
    static_cast<void>(write_value(path_ + "/memory.peak", "0"));  // resettable from Linux 6.12
  }
  bool is_empty() const override {
    return read_keyed(path_ + "/cgroup.events", "populated").value_or(1) == 0;
  }

 private:
  CgroupUsage read() const {
    CgroupUsage now;
    now.oom_kills = keyed_number(oom_.text(), "oom_kill").value_or(0);
    now.refused_forks = keyed_number(forks_.text(), "max").value_or(0);
    now.cpu = std::chrono::microseconds(keyed_number(cpu_.text(), "usage_usec").value_or(0));
    now.peak_bytes = first_number(peak_.text()).value_or(0);
    return now;
  }

  std::string path_;
  UniqueFd join_;
  // Kept open: they are read at the end of every run.
  OpenValue oom_;
  OpenValue forks_;
  OpenValue cpu_;
  OpenValue peak_;
  CgroupUsage before_;
  std::optional<CgroupLimits> limits_;  // as they stand in the files
};

class HostV2 final : public CgroupHost {
 public:
  explicit HostV2(std::string parent) : parent_(std::move(parent)), prefix_(owner_prefix()) {}

  std::string_view version() const override { return "v2"; }

  Result<std::unique_ptr<Cgroup>> create() override {
    static std::atomic<std::uint64_t> counter = 0;
    return make_group_v2(fmt::format("{}/{}-{}", parent_, prefix_, counter++));
  }

 private:
  std::string parent_;
  std::string prefix_;
};

bool has_controllers(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> names;
  for (std::string name; stream >> name;) names.push_back(name);
  return std::ranges::all_of(std::array{"memory", "pids", "cpu"}, [&](const char* needed) {
    return std::ranges::find(names, needed) != names.end();
  });
}

// True if no process but this one lives in the group.
bool is_alone(const std::string& path) {
  std::ifstream stream(path + "/cgroup.procs");
  for (pid_t pid = 0; stream >> pid;) {
    if (pid != ::getpid()) return false;
  }
  return true;
}

// A group that has members may not pass controllers on: step aside into a leaf first.
Result<> enable_controllers(const std::string& path) {
  const std::string control = path + "/cgroup.subtree_control";
  if (has_controllers(control)) return {};
  constexpr std::string_view kWanted = "+memory +pids +cpu";
  if (write_value(control, kWanted)) return {};
  if (!is_alone(path)) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("other processes share the group {}: give Cove one of its own "
                                 "(systemd: Delegate=yes, or systemd-run --scope -p Delegate=yes)",
                                 path)));
  }
  const std::string leaf = fmt::format("{}/{}-self", path, owner_prefix());
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
    return Err(Error::from_errno("mkdir " + leaf));
  }
  COVE_TRY(write_value(leaf + "/cgroup.procs", std::to_string(::getpid())));
  return write_value(control, kWanted);
}

}  // namespace

Result<std::unique_ptr<Cgroup>> make_group_v2(const std::string& path) {
  auto group = std::make_unique<GroupV2>(path);
  COVE_TRY(group->open());
  return group;
}

CgroupProbe probe_cgroup_v2(const std::vector<CgroupMount>& groups) {
  const auto found = std::ranges::find_if(groups, [](const auto& group) { return group.v2; });
  if (found == groups.end()) return {nullptr, "cgroup v2 is not mounted"};
  const std::string& path = found->path;
  if (!has_controllers(path + "/cgroup.controllers")) {
    return {nullptr,
            fmt::format("cgroup v2 gives no memory, pids and cpu controllers to {}", path)};
  }
  if (::access(path.c_str(), W_OK) != 0) {
    return {nullptr, fmt::format("no right to make groups in {}: run as root, or have it delegated "
                                 "(systemd: Delegate=yes)",
                                 path)};
  }
  sweep_leftovers(path);
  if (auto enabled = enable_controllers(path); !enabled)
    return {nullptr, enabled.error().message()};
  return {std::make_unique<HostV2>(path), ""};
}

}  // namespace cove::sandbox
