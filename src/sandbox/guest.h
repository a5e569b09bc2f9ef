#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/live_input.h"
#include "base/pipe.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/cgroup.h"
#include "sandbox/setup_plan.h"

namespace cove::sandbox {

// What a waiting guest still has to be told. Strings without NUL; variables as "K=V".
struct Job {
  std::vector<std::string> args;
  std::vector<std::string> env;
};

// The bytes of a job as the guest reads them from descriptor 3.
std::string encode_job(const Job& job);

// One sandboxed process tree that serves one job. Made by launch() or Zygote::fork_guest(), locked
// down, waiting. Destroying it ends the tree and waits until it is gone; that may take
// milliseconds, so callers in a hurry hand it to another thread.
class Guest {
 public:
  Guest() = default;
  ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  // Hands over the job; from here on the guest is hostile.
  Result<> start(const Job& job);

  // Ends every process of the tree, whatever it has become.
  void kill();
  // True once no process is left.
  bool wait_until_gone(std::chrono::milliseconds patience);

  // Ours until destruction.
  UniqueFd stdin_write;
  UniqueFd stdout_read;
  UniqueFd stderr_read;
  UniqueFd status;   // reports of the init
  UniqueFd job;      // write end
  UniqueFd scratch;  // directory that holds workspace/, code/, tmp/
  UniqueFd program;  // the file that will hold the program, if it was made ahead
  UniqueFd init_pidfd;
  pid_t init_pid = -1;
  pid_t main_pid = -1;    // as the Cove process sees it
  pid_t helper_pid = -1;  // the launched helper, to be reaped
  bool group_kill = false;
  // Set: stdin_write and stdout_read are a terminal's other side, and there is no stderr_read.
  std::optional<TerminalSize> terminal_size;
  std::unique_ptr<Cgroup> group;
  std::uint32_t uid = 0;  // outer id, for writing files that belong to the guest
  std::uint32_t gid = 0;
  std::function<void()> on_gone;  // gives back what the guest held
};

// Waits for the guest's reports until it is ready. At its Hello `map_ids` is called with its
// process id, and it is given the way into its control group. A failed step becomes an error that
// names it.
Result<> await_ready(Guest& guest, const SetupPlan& plan,
                     const std::function<Result<>(pid_t)>& map_ids);

// The guest's standard streams and its job. Our ends do not block; the other ones are returned.
struct GuestEnds {
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;
  UniqueFd job;
};
Result<GuestEnds> make_streams(Guest& guest);
// The same with one pseudo-terminal of `guest.terminal_size` in the place of the three pipes.
Result<GuestEnds> make_terminal(Guest& guest);
// A connected pair that keeps message boundaries; the first end learns the sender's process id.
Result<Pipe> make_status_pair();

}  // namespace cove::sandbox
