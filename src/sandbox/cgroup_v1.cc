#include "sandbox/cgroup_v1.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/unique_fd.h"

namespace cove::sandbox {
namespace {

constexpr int kPeriod = 100'000;

// Directory of a new group in each hierarchy, by controller. Hierarchies may share a directory.
using Directories = std::map<std::string, std::string>;

class GroupV1 final : public Cgroup {
 public:
  explicit GroupV1(Directories directories) : directories_(std::move(directories)) {}

  ~GroupV1() override {
    oom_event_.reset();
    join_.clear();
    for (const auto& [controller, path] : directories_) ::rmdir(path.c_str());
  }
  GroupV1(const GroupV1&) = delete;
  GroupV1& operator=(const GroupV1&) = delete;

  Result<> open() {
    for (const auto& [controller, path] : directories_) {
      if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
        return Err(Error::from_errno("mkdir " + path));
      }
    }
    for (const auto& [controller, path] : directories_) {
      join_.emplace_back(::open((path + "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
      if (!join_.back()) return Err(Error::from_errno("open " + path + "/tasks"));
    }
    oom_ = OpenValue(file("memory", "memory.oom_control"));
    forks_ = OpenValue(file("pids", "pids.events"));
    peak_ = OpenValue(file("memory", "memory.max_usage_in_bytes"));
    if (directories_.contains("cpuacct")) cpu_ = OpenValue(file("cpuacct", "cpuacct.usage"));
    return watch_oom();
  }

  Result<> set_limits(const CgroupLimits& limits) override {
    if (limits_ == limits) return {};
    limits_.reset();
    COVE_TRY(set_memory(limits.memory_bytes));
    COVE_TRY(write_value(file("pids", "pids.max"), std::to_string(limits.processes + 1)));
    COVE_TRY(write_value(file("cpu", "cpu.cfs_period_us"), std::to_string(kPeriod)));
    const long quota = std::max(1000L, static_cast<long>(limits.cpus * kPeriod));
    COVE_TRY(write_value(file("cpu", "cpu.cfs_quota_us"), std::to_string(quota)));
    limits_ = limits;
    return {};
  }

  std::vector<int> join_fds() const override {
    std::vector<int> out;
    out.reserve(join_.size());
    for (const auto& file : join_) out.push_back(file.get());
    return out;
  }

  Result<> move_in(pid_t pid) override {
    for (const auto& [controller, path] : directories_) {
      COVE_TRY(write_value(path + "/cgroup.procs", std::to_string(pid)));
    }
    return {};
  }

  bool kill_members(std::chrono::milliseconds patience) override {
    limits_.reset();
    static_cast<void>(write_value(file("pids", "pids.max"), "0"));
    return kill_until_empty(file("pids", "cgroup.procs"), patience);
  }

  std::uint64_t memory_in_use() const override {
    return read_number(file("memory", "memory.usage_in_bytes")).value_or(0);
  }

  CgroupUsage usage() const override {
    CgroupUsage now = read();
    now.oom_kills -= before_.oom_kills;
    now.refused_forks -= before_.refused_forks;
    now.cpu -= before_.cpu;
    return now;
  }

  int oom_event_fd() const override { return oom_event_.get(); }

  void reset() override {
    before_ = read();
    static_cast<void>(write_value(file("memory", "memory.max_usage_in_bytes"), "0"));
    std::uint64_t drained = 0;
    while (::read(oom_event_.get(), &drained, sizeof drained) > 0) {
    }
  }

  bool is_empty() const override {
    // Whoever is in one hierarchy is in all: a guest that could not join them all never ran.
    return !read_number(file("pids", "cgroup.procs"));
  }

 private:
  std::string file(const char* controller, const char* name) const {
    return directories_.at(controller) + "/" + name;
  }

  Result<> set_memory(std::uint64_t bytes) {
    const std::string limit = file("memory", "memory.limit_in_bytes");
    const std::string with_swap = file("memory", "memory.memsw.limit_in_bytes");
    const std::string value = std::to_string(bytes);
    const bool swap = ::access(with_swap.c_str(), W_OK) == 0;
    // The limit with swap may never be the lower one: which goes first depends on the direction.
    if (swap && read_number(limit).value_or(0) < bytes) COVE_TRY(write_value(with_swap, value));
    COVE_TRY(write_value(limit, value));
    if (swap) COVE_TRY(write_value(with_swap, value));
    return {};
  }

  Result<> watch_oom() {
    UniqueFd control(::open(file("memory", "memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC));
    if (!control) return Err(Error::from_errno("open memory.oom_control"));
    oom_event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!oom_event_) return Err(Error::from_errno("eventfd"));
    return write_value(file("memory", "cgroup.event_control"),
                       fmt::format("{} {}", oom_event_.get(), control.get()));
  }

  CgroupUsage read() const {
    CgroupUsage now;
    now.oom_kills = keyed_number(oom_.text(), "oom_kill").value_or(0);
    now.refused_forks = keyed_number(forks_.text(), "max").value_or(0);
    now.peak_bytes = first_number(peak_.text()).value_or(0);
    now.cpu = std::chrono::microseconds(first_number(cpu_.text()).value_or(0) / 1000);
    return now;
  }

  Directories directories_;
  UniqueFd oom_event_;
  std::vector<UniqueFd> join_;
  // Kept open: they are read at the end of every run.
  OpenValue oom_;
  OpenValue forks_;
  OpenValue peak_;
  OpenValue cpu_;
  CgroupUsage before_;
  std::optional<CgroupLimits> limits_;  // as they stand in the files
};

class HostV1 final : public CgroupHost {
 public:
  explicit HostV1(Directories parents) : parents_(std::move(parents)), prefix_(owner_prefix()) {}

  std::string_view version() const override { return "v1"; }

  Result<std::unique_ptr<Cgroup>> create() override {
    static std::atomic<std::uint64_t> counter = 0;
    const auto number = counter++;
    Directories own;
    for (const auto& [controller, parent] : parents_) {
      own[controller] = fmt::format("{}/{}-{}", parent, prefix_, number);
    }
    auto group = std::make_unique<GroupV1>(std::move(own));
    COVE_TRY(group->open());
    return group;
  }

 private:
  Directories parents_;
  std::string prefix_;
};

}  // namespace

CgroupProbe probe_cgroup_v1(const std::vector<CgroupMount>& groups) {
  Directories parents;
  for (const auto& group : groups) {
    if (group.v2) continue;
    for (const auto& controller : group.controllers) {
      if (controller == "memory" || controller == "pids" || controller == "cpu" ||
          controller == "cpuacct") {
        parents[controller] = group.path;
      }
    }
  }
  for (const char* needed : {"memory", "pids", "cpu"}) {
    if (!parents.contains(needed)) {
      return {nullptr, fmt::format("cgroup v1 has no {} controller here", needed)};
    }
  }
  if (parents.contains("cpuacct") && ::access(parents["cpuacct"].c_str(), W_OK) != 0) {
    parents.erase("cpuacct");
  }
  for (const auto& [controller, path] : parents) {
    if (::access(path.c_str(), W_OK) != 0) {
      return {nullptr, fmt::format("no right to make groups in {}: run as root, or have the "
                                   "directory delegated to this user",
                                   path)};
    }
    sweep_leftovers(path);
  }
  return {std::make_unique<HostV1>(std::move(parents)), ""};
}

}  // namespace cove::sandbox
