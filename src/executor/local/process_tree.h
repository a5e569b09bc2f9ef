#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  std::vector<std::string> env;   // "NAME=value"
  int working_directory = -1;     // a directory descriptor; stays the caller's; -1: ours
  // False: what daemonises is let go. For the command of a container engine, which leaves a monitor
  // behind that must put its container away.
  bool keep_descendants = true;
};

// How the program ended, from the kernel.
struct ProcessExit {
  std::optional<int> start_errno;  // the program could not be executed, and why
  std::optional<int> wait_status;  // as waitpid() gives it; absent when it could not be determined
  std::chrono::microseconds cpu{0};
  Bytes peak_memory;
};

// A program and all its descendants, without isolation. A small supervisor process, forked ahead of
// the program, is the child subreaper of the tree: whatever daemonises becomes the supervisor's
// child and ends with it. The supervisor itself ends the tree when this process dies.
// Start, kill and wait from one thread: the kernel's parent-death signal belongs to that thread.
class ProcessTree {
 public:
  static Result<ProcessTree> start(const ProcessSpec& spec);

  ProcessTree(ProcessTree&& other) noexcept;
  ProcessTree& operator=(ProcessTree&&) = delete;
  ProcessTree(const ProcessTree&) = delete;
  ProcessTree& operator=(const ProcessTree&) = delete;
  ~ProcessTree();  // ends the tree

  // Non-blocking ends of the program's pipes.
  UniqueFd& stdin_fd() { return stdin_; }
  UniqueFd& stdout_fd() { return stdout_; }
  UniqueFd& stderr_fd() { return stderr_; }
  // Readable once the program failed to start or the whole tree is gone.
  int ended_fd() const { return report_.get(); }

  void kill();
  // Blocks until the tree is gone.
  ProcessExit wait();

 private:
  ProcessTree() = default;

  pid_t supervisor_ = -1;
  UniqueFd stdin_;
  UniqueFd stdout_;
  UniqueFd stderr_;
  UniqueFd report_;
};

}  // namespace cove
