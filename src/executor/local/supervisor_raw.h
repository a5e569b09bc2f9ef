#pragma once
#include <sys/types.h>

namespace cove {

// What the supervisor process needs, prepared before fork().
struct SupervisorPlan {
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  int working_directory = -1;
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  int report_fd = -1;
  pid_t parent = -1;
  bool keep_descendants = true;
};

// What it writes to report_fd: once when the program cannot start, once when the tree is gone.
struct SupervisorReport {
  enum class Kind : int { StartFailed, Ended };
  Kind kind = Kind::Ended;
  int value = 0;  // errno, or the wait status
  bool known = false;
  long cpu_us = 0;
  long peak_kib = 0;
};

// Runs in the child of a fork() in a process with threads: only async-signal-safe calls from here
// on.
[[noreturn]] void supervise_raw(const SupervisorPlan& plan);

}  // namespace cove
