#include "executor/local/process_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/pipe.h"
#include "executor/local/supervisor_raw.h"

namespace cove {

namespace {

void make_non_blocking(int fd) {
  (void)::fcntl(fd, F_SETFL, O_NONBLOCK);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

bool read_report(int fd, SupervisorReport& report) {
  ssize_t got = 0;
  do {
    got = ::read(fd, &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof report);
}

}  // namespace

Result<ProcessTree> ProcessTree::start(const ProcessSpec& spec) {
  COVE_ASSIGN(Pipe in, make_pipe());
  COVE_ASSIGN(Pipe out, make_pipe());
  COVE_ASSIGN(Pipe err, make_pipe());
  COVE_ASSIGN(Pipe report, make_pipe());
  const std::vector<char*> argv = pointers(spec.argv);
  const std::vector<char*> envp = pointers(spec.env);
  const SupervisorPlan plan{argv.data(),        envp.data(),     spec.working_directory,
                            in.read.get(),      out.write.get(), err.write.get(),
                            report.write.get(), ::getpid(),      spec.keep_descendants};

  // No handler of ours may run in the child before it has blocked everything itself.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) supervise_raw(plan);
  const int fork_errno = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return Err(Error::from_errno("starting a process", fork_errno));

  ProcessTree tree;
  tree.supervisor_ = pid;
  tree.stdin_ = std::move(in.write);
  tree.stdout_ = std::move(out.read);
  tree.stderr_ = std::move(err.read);
  tree.report_ = std::move(report.read);
  for (const UniqueFd* fd : {&tree.stdin_, &tree.stdout_, &tree.stderr_})
    make_non_blocking(fd->get());
  return tree;
}

ProcessTree::ProcessTree(ProcessTree&& other) noexcept
    : supervisor_(std::exchange(other.supervisor_, -1)),
      stdin_(std::move(other.stdin_)),
      stdout_(std::move(other.stdout_)),
      stderr_(std::move(other.stderr_)),
      report_(std::move(other.report_)) {}

ProcessTree::~ProcessTree() {
  if (supervisor_ <= 0) return;
  kill();
  (void)wait();
}

void ProcessTree::kill() {
  if (supervisor_ > 0) ::kill(supervisor_, SIGTERM);
}

ProcessExit ProcessTree::wait() {
  ProcessExit result;
  SupervisorReport report;
  while (read_report(report_.get(), report)) {
    if (report.kind == SupervisorReport::Kind::StartFailed) result.start_errno = report.value;
    if (report.kind != SupervisorReport::Kind::Ended) continue;
    if (report.known) result.wait_status = report.value;
    result.cpu = std::chrono::microseconds(report.cpu_us);
    result.peak_memory = Bytes::kib(static_cast<std::uint64_t>(report.peak_kib));
  }
  while (::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = -1;
  return result;
}

}  // namespace cove
