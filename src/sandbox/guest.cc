#include "sandbox/guest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cstring>
#include <optional>

namespace cove::sandbox {
namespace {

constexpr int kReadyTimeoutMs = 20'000;

struct Received {
  Report report = {};
  pid_t sender = -1;
  UniqueFd fd;
};

// One report, or nothing when the other side is gone.
Result<std::optional<Received>> receive(int socket) {
  pollfd watch = {socket, POLLIN, 0};
  const int ready = ::poll(&watch, 1, kReadyTimeoutMs);
  if (ready < 0 && errno != EINTR) return Err(Error::from_errno("poll"));
  if (ready == 0) return Err(Error(ErrorCode::Sandbox, "sandbox set-up did not finish in 20 s"));
  Received received;
  iovec vector = {&received.report, sizeof received.report};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))> control{};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (n == 0 || (n < 0 && errno == ECONNRESET)) return std::nullopt;
  if (n < 0) return Err(Error::from_errno("recvmsg"));
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred who = {};
      std::memcpy(&who, CMSG_DATA(part), sizeof who);
      received.sender = who.pid;
    } else if (part->cmsg_type == SCM_RIGHTS) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
      received.fd.reset(fd);
    }
  }
  if (n != sizeof received.report) return Err(Error(ErrorCode::Sandbox, "malformed report"));
  return received;
}

Result<> adopt_init(Guest& guest, Received& received) {
  guest.init_pid = received.sender;
  guest.init_pidfd = std::move(received.fd);
  if (!guest.init_pidfd) {
    guest.init_pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, received.sender, 0)));
  }
  if (!guest.init_pidfd) return Err(Error::from_errno("pidfd_open"));
  return {};
}

// Lets the guest go on, with the files that lead into its control group.
Result<> send_go(const Guest& guest) {
  const auto fds = guest.group ? guest.group->join_fds() : std::vector<int>{};
  char go = static_cast<char>('0' + fds.size());
  iovec vector = {&go, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxJoinFds * sizeof(int))> control{};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(part), fds.data(), fds.size() * sizeof(int));
  }
  if (::sendmsg(guest.status.get(), &message, MSG_NOSIGNAL) != 1)
    return Err(Error::from_errno("send"));
  return {};
}

void put_number(std::string& out, std::size_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put_list(std::string& out, const std::vector<std::string>& values) {
  put_number(out, values.size());
  for (const auto& value : values) {
    put_number(out, value.size());
    out += value;
  }
}

// A socket rather than a pipe: writing to a guest that died while it waited must raise no signal.
Result<Pipe> make_job_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Err(Error::from_errno("socketpair"));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

std::string encode_job(const Job& job) {
  std::string body;
  put_list(body, job.args);
  put_list(body, job.env);
  std::string out;
  put_number(out, kJobMagic);
  put_number(out, body.size());
  return out + body;
}

Result<GuestEnds> make_streams(Guest& guest) {
  COVE_ASSIGN(auto input, make_pipe());
  COVE_ASSIGN(auto output, make_pipe());
  COVE_ASSIGN(auto errors, make_pipe());
  COVE_ASSIGN(auto job, make_job_pair());
  guest.stdin_write = std::move(input.write);
  guest.stdout_read = std::move(output.read);
  guest.stderr_read = std::move(errors.read);
  guest.job = std::move(job.write);
  for (const UniqueFd* end : {&guest.stdin_write, &guest.stdout_read, &guest.stderr_read}) {
    if (::fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return Err(Error::from_errno("O_NONBLOCK"));
  }
  // Opened anew through /dev/stdout, a pipe is a file with an owner.
  if (::geteuid() == 0 && guest.uid != 0) {
    for (const UniqueFd* end : {&input.read, &output.write, &errors.write}) {
      if (::fchown(end->get(), guest.uid, guest.gid) != 0) return Err(Error::from_errno("fchown"));
    }
  }
  return GuestEnds{std::move(input.read), std::move(output.write), std::move(errors.write),
                   std::move(job.read)};
}

Result<GuestEnds> make_terminal(Guest& guest) {
  COVE_ASSIGN(auto job, make_job_pair());
  guest.job = std::move(job.write);
  UniqueFd ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!ours || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0) {
    return Err(Error::from_errno("open a pseudo-terminal"));
  }
  UniqueFd theirs(::ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs) return Err(Error::from_errno("open a pseudo-terminal"));
  const winsize size = {guest.terminal_size->rows, guest.terminal_size->columns, 0, 0};
  if (::ioctl(ours.get(), TIOCSWINSZ, &size) != 0) return Err(Error::from_errno("TIOCSWINSZ"));
  if (::geteuid() == 0 && guest.uid != 0 && ::fchown(theirs.get(), guest.uid, guest.gid) != 0) {
    return Err(Error::from_errno("fchown"));
  }
  guest.stdin_write.reset(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0));
  guest.stdout_read = std::move(ours);
  UniqueFd output(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 0));
  UniqueFd errors(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 0));
  if (!guest.stdin_write || !output || !errors) return Err(Error::from_errno("dup"));
  return GuestEnds{std::move(theirs), std::move(output), std::move(errors), std::move(job.read)};
}

Result<Pipe> make_status_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Err(Error::from_errno("socketpair"));
  }
  Pipe pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  const int on = 1;
  if (::setsockopt(pair.read.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return Err(Error::from_errno("SO_PASSCRED"));
  }
  return pair;
}

Result<> await_ready(Guest& guest, const SetupPlan& plan,
                     const std::function<Result<>(pid_t)>& map_ids) {
  for (;;) {
    COVE_ASSIGN(auto received, receive(guest.status.get()));
    if (!received) return Err(Error(ErrorCode::Sandbox, "the sandbox helper ended during set-up"));
    const Report& report = received->report;
    switch (report.kind) {
      case ReportKind::Hello: {
        COVE_TRY(adopt_init(guest, *received));
        if (map_ids) COVE_TRY(map_ids(received->sender));
        COVE_TRY(send_go(guest));
        break;
      }
      case ReportKind::Announce:
        COVE_TRY(adopt_init(guest, *received));
        // The helper ended with the fork of the init. Unreaped it would count as one of the guest's
        // processes.
        if (guest.helper_pid > 0 && guest.helper_pid != guest.init_pid) {
          ::waitpid(guest.helper_pid, nullptr, __WALL);
          guest.helper_pid = guest.init_pid;
        }
        break;
      case ReportKind::Ready:
        guest.main_pid = received->sender;
        guest.scratch = std::move(received->fd);
        return {};
      case ReportKind::Failed:
        return Err(step_error(plan, report.step, report.error));
      case ReportKind::Exited:
      case ReportKind::Reaped:
        return Err(Error(ErrorCode::Sandbox, "the guest ended before it was ready"));
    }
  }
}

Result<> Guest::start(const Job& what) {
  const std::string bytes = encode_job(what);
  if (bytes.size() > kMaxJobBytes) {
    return Err(
        Error::invalid_field("args", "arguments and environment are larger than 2 MiB in all"));
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::send(job.get(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(Error::from_errno("hand over the job"));
    done += static_cast<std::size_t>(n);
  }
  job.reset();
  return {};
}

void Guest::kill() {
  if (group_kill) {
    if (main_pid > 0) ::kill(-main_pid, SIGKILL);
    return;
  }
  // The death of pid 1 takes everything in its namespace along.
  if (init_pidfd) ::syscall(SYS_pidfd_send_signal, init_pidfd.get(), SIGKILL, nullptr, 0);
}

bool Guest::wait_until_gone(std::chrono::milliseconds patience) {
  if (!init_pidfd) return true;
  pollfd watch = {init_pidfd.get(), POLLIN, 0};
  return ::poll(&watch, 1, static_cast<int>(patience.count())) > 0;
}

Guest::~Guest() {
  kill();
  status.reset();
  job.reset();
  const bool gone = wait_until_gone(std::chrono::seconds(5));
  if (!gone && init_pid > 0) ::kill(init_pid, SIGKILL);
  // Ours to reap only if it was launched by us; a zygote's children are the zygote's.
  if (helper_pid > 0) {
    ::waitpid(helper_pid, nullptr, __WALL);
    if (init_pid > 0 && init_pid != helper_pid) ::waitpid(init_pid, nullptr, __WALL);
  }
  if (on_gone) on_gone();
}

}  // namespace cove::sandbox
