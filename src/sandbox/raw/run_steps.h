#pragma once
// Carries out a plan, one step after the other, with raw system calls and no allocation. It runs in
// the helper `cove-init` and, for guests forked by a zygote, inside the interpreter.
#include "sandbox/raw/plan_format.h"

namespace cove::sandbox {

// A plan mapped into memory. Trusted: only the Cove process writes it.
struct PlanView {
  const PlanHeader* header = nullptr;
  const RawStep* steps = nullptr;
  const char* pool = nullptr;
};

constexpr int kMaxTrees = 64;

struct StepContext {
  PlanView plan;
  int status_fd = kStatusFd;
  int job_fd = kJobFd;
  int scratch_fd = -1;
  int landlock_fd = -1;
  uint32_t guest_id = 0;
  int join_fds[kMaxJoinFds] = {};  // of a zygote's child
  int join_count = 0;
  int trees[kMaxTrees] = {};
};

// Maps the plan behind `fd`. Returns 0 or -errno.
long open_plan(int fd, PlanView& view);

// Runs steps from `from` up to a ForkInit, ForkMain, AwaitJob or Exec step or the end, and returns
// the index of the step where it stopped. A failing step is reported to the parent and ends the
// process.
uint32_t run_steps(StepContext& context, uint32_t from);

// Tells the parent which step failed, and ends the process.
[[noreturn]] void fail_step(const StepContext& context, uint32_t index, long error);

// Sends a report; `pass_fd` rides along unless it is negative. `flags`: MSG_* besides NOSIGNAL.
long send_report(int status_fd, const Report& report, int pass_fd, int flags = 0);

// Waits for the parent's word after a Hello, and joins the control group whose files come with it.
long await_go(int status_fd);

// Puts the calling process into the control group that these files belong to, and closes them.
long join_group(const int* fds, int count);

// Executes the program of an Exec step, with what a job adds to its arguments and environment.
// Returns -errno.
long exec_step(const StepContext& context, const RawStep& step, const char* job, uint32_t job_size);

// Reads one job from `fd` into fresh memory. Returns its size, 0 at end of file, or -errno.
long read_job(int fd, const char** job);

}  // namespace cove::sandbox
