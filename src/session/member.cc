#include "session/member.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/pipe.h"
#include "executor/native/guest_spec.h"

namespace cove {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kKillPatience{2000};

// The last of the numbers that a process has: the one in its own pid namespace.
std::uint32_t inner_pid_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    std::uint32_t last = 0;
    for (std::uint32_t number = 0; numbers >> number;) last = number;
    return last;
  }
  return 0;
}

bool has_ended(int pidfd) {
  pollfd watch = {pidfd, POLLIN, 0};
  return ::poll(&watch, 1, 0) != 0;
}

Result<> fill_group(sandbox::Cgroup& group, const SessionRecipe& recipe, pid_t pid) {
  COVE_TRY(group.set_limits(group_limits(recipe.limits)));
  return group.move_in(pid);
}

}  // namespace

Member::Member(std::shared_ptr<FamilySandbox> sandbox, pid_t pid, MemberEnds ends)
    : channel(std::move(ends.control)),
      output(std::move(ends.output)),
      errors(std::move(ends.errors)),
      sandbox_(std::move(sandbox)),
      pid_(pid) {}

Result<std::unique_ptr<Member>> Member::adopt(const SessionRecipe& recipe,
                                              std::shared_ptr<FamilySandbox> sandbox, pid_t pid,
                                              MemberEnds ends) {
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // The number might be another process's by now: only one of this sandbox that still lives is
  // ours to move and to kill.
  if (!pidfd || !sandbox->holds(pid) || has_ended(pidfd.get())) {
    return Err(Error(ErrorCode::ExecutionFailed, "the session's interpreter ended at its start"));
  }
  const auto inner_pid = inner_pid_of(pid);
  if (!sandbox->enlist(pid, inner_pid)) {
    return Err(Error(ErrorCode::ExecutionFailed, "a session answered for its branch"));
  }
  std::unique_ptr<Member> member(new Member(std::move(sandbox), pid, std::move(ends)));
  member->pidfd_ = std::move(pidfd);
  member->inner_pid_ = inner_pid;
  if (recipe.host->has_cgroups()) {
    COVE_ASSIGN(auto group, recipe.host->cgroups.host->create());
    COVE_TRY(fill_group(*group, recipe, pid));
    member->group_ = std::move(group);
  }
  return member;
}

Member::~Member() {
  kill();
  wait_until_ended(kKillPatience);
  sandbox_->dismiss(pid_);
}

void Member::interrupt() const {
  if (has_ended(pidfd_.get())) return;
  // Its group, as a terminal would; the interpreter alone where it left the group that it led.
  if (::kill(-pid_, SIGINT) == 0) return;
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGINT, nullptr, 0);
}

void Member::kill() const {
  if (group_) {
    group_->kill_members(kKillPatience);
    return;
  }
  sandbox_->kill_tree(pid_);
}

bool Member::alive() const {
  return !has_ended(pidfd_.get());
}

bool Member::wait_until_ended(milliseconds patience) const {
  pollfd watch = {pidfd_.get(), POLLIN, 0};
  return ::poll(&watch, 1, static_cast<int>(patience.count())) > 0;
}

Bytes Member::memory() const {
  if (group_) return Bytes{group_->memory_in_use()};
  std::ifstream file(fmt::format("/proc/{}/statm", pid_));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return Bytes{resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
}

std::string Member::how_it_ended() const {
  const auto status = sandbox_->wait_status_of(inner_pid_, milliseconds(200));
  if (!status) return "unknown";
  if (WIFEXITED(*status)) return fmt::format("exit code {}", WEXITSTATUS(*status));
  const char* name = ::sigabbrev_np(WTERMSIG(*status));
  return name != nullptr ? fmt::format("SIG{}", name) : "a signal";
}

bool Member::ran_out_of_memory() {
  if (!group_) return false;
  std::uint64_t events = 0;
  while (oom_event_fd() >= 0 && ::read(oom_event_fd(), &events, sizeof events) > 0) {
  }
  const auto now = group_->usage().oom_kills;
  return now > std::exchange(oom_kills_, now);
}

Result<MemberSockets> make_member_sockets(std::uint32_t uid, std::uint32_t gid) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return Err(Error::from_errno("socketpair"));
  }
  MemberSockets sockets;
  sockets.ours.control.reset(pair[0]);
  sockets.theirs.control.reset(pair[1]);
  const int on = 1;
  if (::setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return Err(Error::from_errno("SO_PASSCRED"));
  }
  COVE_ASSIGN(auto output, make_pipe());
  COVE_ASSIGN(auto errors, make_pipe());
  for (auto* pipe : {&output, &errors}) {
    if (::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK) != 0) {
      return Err(Error::from_errno("O_NONBLOCK"));
    }
    if (::geteuid() == 0 && uid != 0 && ::fchown(pipe->write.get(), uid, gid) != 0) {
      return Err(Error::from_errno("fchown"));
    }
  }
  sockets.ours.output = std::move(output.read);
  sockets.theirs.output = std::move(output.write);
  sockets.ours.errors = std::move(errors.read);
  sockets.theirs.errors = std::move(errors.write);
  return sockets;
}

}  // namespace cove
