#include "executor/local/supervisor_raw.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cove {

namespace {

void send_report(int fd, const SupervisorReport& report) {
  (void)!::write(fd, &report, sizeof report);
}

void reset_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &action, nullptr);
}

[[noreturn]] void become_program(const SupervisorPlan& plan) {
  // Its own session: what it sends to its process group must not reach the supervisor.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  SupervisorReport failed{SupervisorReport::Kind::StartFailed, 0, true, 0, 0};
  const bool stay = plan.working_directory < 0;
  if ((stay || ::fchdir(plan.working_directory) == 0) && ::dup2(plan.stdin_fd, 0) == 0 &&
      ::dup2(plan.stdout_fd, 1) == 1 && ::dup2(plan.stderr_fd, 2) == 2 &&
      ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::execve(plan.argv[0], plan.argv, plan.envp);
  }
  failed.value = errno;
  send_report(plan.report_fd, failed);
  ::_exit(127);
}

// Every direct child, by the kernel's own list. Their children become ours as they die.
void kill_children() {
  const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  std::array<char, 4096> text{};
  pid_t pid = 0;
  ssize_t got = 0;
  while ((got = ::read(fd, text.data(), text.size())) > 0) {
    for (ssize_t i = 0; i < got; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
      } else if (pid > 0) {
        ::kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  ::close(fd);
}

struct Progress {
  pid_t program = -1;
  bool program_ended = false;
  int wait_status = 0;
};

// Reaps what has ended. False when no child is left.
bool reap(Progress& progress) {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0) return errno == EINTR;
    if (pid == 0) return true;
    if (pid == progress.program) {
      progress.program_ended = true;
      progress.wait_status = status;
    }
  }
}

void end_tree(Progress& progress) {
  constexpr int kRounds = 5000;  // of 1 ms: a process stuck in the kernel must not keep us for ever
  constexpr timespec kPause{0, 1'000'000};
  if (!progress.program_ended) ::kill(-progress.program, SIGKILL);
  for (int round = 0; round < kRounds; ++round) {
    kill_children();
    if (!reap(progress)) return;
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace

void supervise_raw(const SupervisorPlan& plan) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  reset_signals();  // an ignored SIGCHLD would let children vanish without a status
  ::setsid();       // a Ctrl-C at the terminal is for our parent to handle
  if (plan.keep_descendants) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != plan.parent) ::_exit(0);

  Progress progress;
  progress.program = ::_Fork();
  if (progress.program == 0) become_program(plan);
  if (progress.program < 0) {
    send_report(plan.report_fd, {SupervisorReport::Kind::StartFailed, errno, true, 0, 0});
    ::_exit(0);
  }

  // Holding the program's pipes would keep its readers from ever seeing their end.
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
  }
  if (plan.report_fd != 3) ::dup2(plan.report_fd, 3);
  ::close_range(4, ~0U, 0);
  constexpr int kReport = 3;

  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGCHLD);
  ::sigaddset(&wanted, SIGTERM);
  while (!progress.program_ended) {
    const int signal = ::sigwaitinfo(&wanted, nullptr);
    if (signal == SIGTERM) break;
    reap(progress);
  }
  end_tree(progress);

  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  SupervisorReport report{SupervisorReport::Kind::Ended, progress.wait_status,
                          progress.program_ended, 0, usage.ru_maxrss};
  report.cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000L +
                  usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  send_report(kReport, report);
  ::_exit(0);
}

}  // namespace cove
