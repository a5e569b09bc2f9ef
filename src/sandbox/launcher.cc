#include "sandbox/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include <fmt/format.h>

#include "sandbox/cgroup_files.h"
#include "sandbox/sealed_memory.h"

// The helper's bytes, put into this library by init_blob.S.
extern "C" const char cove_init_begin[];
extern "C" const char cove_init_end[];

namespace cove::sandbox {
namespace {

// Above every number that the helper expects, so that dup2 in the child never overwrites a source.
constexpr int kFirstSafeFd = 32;

Result<UniqueFd> lift(int fd) {
  UniqueFd high(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstSafeFd));
  if (!high) return Err(Error::from_errno("fcntl(F_DUPFD_CLOEXEC)"));
  return high;
}

// Descriptors of the child, by number.
class ChildFds {
 public:
  ChildFds() { ::posix_spawn_file_actions_init(&actions_); }
  ~ChildFds() { ::posix_spawn_file_actions_destroy(&actions_); }
  ChildFds(const ChildFds&) = delete;
  ChildFds& operator=(const ChildFds&) = delete;

  Result<> put(int fd, int number) {
    COVE_ASSIGN(auto high, lift(fd));
    ::posix_spawn_file_actions_adddup2(&actions_, high.get(), number);
    kept_.push_back(std::move(high));
    return {};
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  std::vector<UniqueFd> kept_;
};

// No signal of the host process is blocked or ignored in a guest.
class CleanSignals {
 public:
  CleanSignals() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~CleanSignals() { ::posix_spawnattr_destroy(&attributes_); }
  CleanSignals(const CleanSignals&) = delete;
  CleanSignals& operator=(const CleanSignals&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

Result<> write_id_maps(pid_t pid, const IdMap& ids) {
  const std::string proc = fmt::format("/proc/{}/", pid);
  COVE_TRY(write_value(proc + "setgroups", "deny"));
  COVE_TRY(write_value(proc + "uid_map",
                       fmt::format("{} {} {}", ids.inside, ids.outside_uid, ids.count)));
  return write_value(proc + "gid_map",
                     fmt::format("{} {} {}", ids.inside, ids.outside_gid, ids.count));
}

// The pipes of a guest; the child's ends go to `fds`.
Result<> connect(Guest& guest, ChildFds& fds, std::vector<UniqueFd>& child_ends) {
  COVE_ASSIGN(auto ends, guest.terminal_size ? make_terminal(guest) : make_streams(guest));
  COVE_TRY(fds.put(ends.input.get(), 0));
  COVE_TRY(fds.put(ends.output.get(), 1));
  COVE_TRY(fds.put(ends.errors.get(), 2));
  COVE_TRY(fds.put(ends.job.get(), kJobFd));
  for (auto* end : {&ends.input, &ends.output, &ends.errors, &ends.job}) {
    child_ends.push_back(std::move(*end));
  }
  return {};
}

// A zygote reads and writes nothing, but its streams must be pipes: an interpreter looks at them
// when it starts, and its children keep what it saw. What it says when it fails comes to us.
Result<> connect_zygote(Guest& guest, ChildFds& fds, const UniqueFd& commands,
                        std::vector<UniqueFd>& child_ends) {
  COVE_ASSIGN(auto input, make_pipe());
  COVE_ASSIGN(auto output, make_pipe());
  COVE_ASSIGN(auto errors, make_pipe());
  COVE_TRY(fds.put(input.read.get(), 0));
  COVE_TRY(fds.put(output.write.get(), 1));
  COVE_TRY(fds.put(errors.write.get(), 2));
  COVE_TRY(fds.put(commands.get(), kJobFd));
  guest.stderr_read = std::move(errors.read);
  for (auto* end : {&input.read, &output.write, &errors.write})
    child_ends.push_back(std::move(*end));
  return {};
}

Result<pid_t> spawn_helper(const ChildFds& fds, int program) {
  const std::string path = fmt::format("/proc/self/fd/{}", program);
  std::array<char, 10> name{"cove-init"};
  std::array<char, 7> verb{"launch"};
  std::array<char*, 3> argv = {name.data(), verb.data(), nullptr};
  std::array<char*, 1> envp = {nullptr};
  const CleanSignals signals;
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, path.c_str(), fds.get(), signals.get(), argv.data(), envp.data());
  if (failed != 0) return Err(Error::from_errno("start the sandbox helper", failed));
  return pid;
}

}  // namespace

Result<int> init_program_fd() {
  static const Result<UniqueFd> program = []() -> Result<UniqueFd> {
    COVE_ASSIGN(
        const auto bytes,
        sealed_memory("cove-init",
                      {cove_init_begin, static_cast<std::size_t>(cove_init_end - cove_init_begin)},
                      MemoryUse::Program));
    // In the child it is executed by its number, after others have been put below.
    return lift(bytes.get());
  }();
  if (!program) return Err(program.error());
  return program->get();
}

Result<std::unique_ptr<Guest>> launch(LaunchRequest request) {
  auto guest = std::make_unique<Guest>();
  guest->uid = request.uid;
  guest->gid = request.gid;
  guest->terminal_size = request.terminal;
  ChildFds fds;
  std::vector<UniqueFd> child_ends;
  const bool zygote = request.guest_plan != nullptr;
  if (zygote) {
    COVE_TRY(connect_zygote(*guest, fds, request.zygote_commands, child_ends));
  } else {
    COVE_TRY(connect(*guest, fds, child_ends));
  }
  COVE_ASSIGN(auto status, make_status_pair());
  COVE_ASSIGN(const UniqueFd plan, request.plan->to_memfd());
  COVE_ASSIGN(const int program, init_program_fd());
  const UniqueFd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!self) return Err(Error::from_errno("pidfd_open"));
  COVE_TRY(fds.put(status.write.get(), kStatusFd));
  COVE_TRY(fds.put(plan.get(), kPlanFd));
  COVE_TRY(fds.put(self.get(), kHostFd));
  if (zygote) {
    COVE_TRY(fds.put(program, kInitFd));
    COVE_ASSIGN(const UniqueFd guest_plan, request.guest_plan->to_memfd());
    COVE_TRY(fds.put(guest_plan.get(), kGuestPlanFd));
  }
  guest->group = std::move(request.group);
  guest->group_kill = !request.ids.has_value();
  COVE_ASSIGN(guest->helper_pid, spawn_helper(fds, program));
  guest->status = std::move(status.read);
  status.write.reset();
  child_ends.clear();
  request.zygote_commands.reset();
  COVE_TRY(await_ready(*guest, *request.plan, [&](pid_t pid) -> Result<> {
    return request.ids ? write_id_maps(pid, *request.ids) : Result<>{};
  }));
  return guest;
}

}  // namespace cove::sandbox
