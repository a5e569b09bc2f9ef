#include "sandbox/raw/traced_exit.h"

#include <linux/ptrace.h>

#include "sandbox/raw/raw_syscalls.h"
#include "sandbox/raw/run_steps.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr int kOpenDirectory = 02200000;  // O_DIRECTORY | O_CLOEXEC
constexpr int kTrapSignal = 5;

int proc_fd = -1;      // /proc: which processes there are
int task_fd = -1;      // /proc/MAIN/task: which threads
int schedule_fd = -1;  // /proc/MAIN/schedstat: processor time
bool reported = false;

struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[1];
};

// How many entries of a directory are numbers; -1 if it cannot be told.
int count_numbers(int fd) {
  alignas(8) static char buffer[8192];
  if (fd < 0 || call(SYS_lseek, fd, 0, 0) < 0) return -1;
  int count = 0;
  for (;;) {
    const long got = call(SYS_getdents64, fd, buffer, sizeof buffer);
    if (got < 0) return -1;
    if (got == 0) return count;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      if (entry->name[0] >= '0' && entry->name[0] <= '9') ++count;
      at += entry->size;
    }
  }
}

uint64_t processor_time_us() {
  char text[64] = {};
  if (schedule_fd < 0 || call(SYS_pread64, schedule_fd, text, sizeof text - 1, 0) <= 0) return 0;
  uint64_t nanoseconds = 0;
  for (const char* at = text; *at >= '0' && *at <= '9'; ++at) {
    nanoseconds = nanoseconds * 10 + static_cast<uint64_t>(*at - '0');
  }
  return nanoseconds / 1000;
}

// Nothing but this init and a single thread on its way out: no foreign instruction will run.
bool is_alone() {
  return count_numbers(task_fd) == 1 && count_numbers(proc_fd) == 2;
}

void report_exit(const InitTask& task) {
  unsigned long status = 0;
  if (call(SYS_ptrace, PTRACE_GETEVENTMSG, task.main_pid, 0, &status) < 0 || !is_alone()) return;
  Report report = {};
  report.kind = ReportKind::Exited;
  report.wait_status = static_cast<int32_t>(status);
  report.user_us = processor_time_us();
  reported = send_report(task.status_fd, report, -1) > 0;
}

}  // namespace

void open_traced_view(int main_pid) {
  char path[] = "/proc/0/task";
  path[6] = static_cast<char>('0' + main_pid);  // always 2
  char schedule[] = "/proc/0/schedstat";
  schedule[6] = path[6];
  proc_fd = static_cast<int>(call(SYS_openat, -100, "/proc", kOpenDirectory, 0));
  task_fd = static_cast<int>(call(SYS_openat, -100, path, kOpenDirectory, 0));
  schedule_fd = static_cast<int>(call(SYS_openat, -100, schedule, 02000000, 0));
}

void on_traced_stop(const InitTask& task, int wait_status) {
  const int event = wait_status >> 16;
  const int signal = (wait_status >> 8) & 0xff;
  if (event == PTRACE_EVENT_EXIT) {
    report_exit(task);
    // All that is left of it is to free its memory. Nobody waits for that, so it stays as it is
    // until the host drops the guest: on a machine with few processors the result goes first.
    if (!reported) call(SYS_ptrace, PTRACE_CONT, task.main_pid, 0, 0);
  } else if (event == PTRACE_EVENT_STOP && signal != kTrapSignal) {
    call(SYS_ptrace, PTRACE_LISTEN, task.main_pid, 0, 0);  // stopped like everybody: stay so
  } else {
    call(SYS_ptrace, PTRACE_CONT, task.main_pid, 0, event == 0 ? signal : 0);
  }
}

bool already_reported() {
  return reported;
}

}  // namespace cove::sandbox
