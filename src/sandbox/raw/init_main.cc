// `cove-init`: the helper that becomes pid 1 of a sandbox. It has no C library, so that nothing of
// the host's locale, loader or allocator comes along, and it is small: a guest's init costs a few
// pages.
//
//   cove-init launch   carries out the plan on descriptor 5 (a new sandbox)
//   cove-init watch    is already pid 1: reaps and reports (child of a zygote); `trace`: see
//                      InitTask::traced
#include <linux/prctl.h>
#include <linux/sched.h>

#include <initializer_list>

#include "sandbox/raw/init_loop.h"
#include "sandbox/raw/raw_syscalls.h"
#include "sandbox/raw/run_steps.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr uint64_t kSigchld = 17;

// A plain fork. With CLONE_PARENT the child becomes our sibling, so that the Cove process can reap
// it although we end.
long fork_process(uint64_t flags) {
#if defined(__x86_64__)
  return call(SYS_clone, flags | kSigchld, 0, nullptr, nullptr, 0);
#else
  return call(SYS_clone, flags | kSigchld, 0, nullptr, 0, nullptr);
#endif
}

[[noreturn]] void run_guest(StepContext& context, uint32_t index) {
  index = run_steps(context, index);
  const char* job = nullptr;
  uint32_t job_size = 0;
  if (context.plan.steps[index].kind == StepKind::AwaitJob) {
    const long got = read_job(context.job_fd, &job);
    if (got == 0) raw::exit_now(0);  // the pool is closing
    if (got < 0) fail_step(context, index, -got);
    job_size = static_cast<uint32_t>(got);
    call(SYS_close, context.job_fd);
    index = run_steps(context, index + 1);
  }
  const long failed = exec_step(context, context.plan.steps[index], job, job_size);
  fail_step(context, index, -failed);
}

// The C library of the process that started us may have left its own two signals ignored.
void reset_library_signals() {
  const uint64_t standard[4] = {};  // a kernel sigaction of SIG_DFL
  for (const int signal : {32, 33}) call(SYS_rt_sigaction, signal, standard, nullptr, 8);
}

[[noreturn]] void launch() {
  static StepContext context;
  reset_library_signals();
  const long failed = open_plan(kPlanFd, context.plan);
  if (failed < 0) fail_step(context, 0, -failed);
  uint32_t index = run_steps(context, 0);
  if (context.plan.steps[index].kind == StepKind::ForkInit) {
    const long child = fork_process(CLONE_PARENT);
    if (child < 0) fail_step(context, index, -child);
    if (child > 0) raw::exit_now(0);
    index = run_steps(context, index + 1);
  }
  const long guest = fork_process(0);
  if (guest < 0) fail_step(context, index, -guest);
  if (guest == 0) run_guest(context, index + 1);
  const bool group_kill = (context.plan.header->flags & kPlanGroupKill) != 0;
  init_loop({kStatusFd, kHostFd, static_cast<int>(guest), group_kill, false,
             (context.plan.header->flags & kPlanFamily) != 0});
}

int parse_number(const char* text) {
  int value = 0;
  while (*text >= '0' && *text <= '9') value = value * 10 + (*text++ - '0');
  return value;
}

}  // namespace

// argv: cove-init watch|trace STATUS_FD HOST_FD
extern "C" [[noreturn]] void cove_init_main(long argc, const char* const* argv) {
  if (argc >= 4) {
    init_loop({parse_number(argv[2]), parse_number(argv[3]), 2, false, argv[1][0] == 't', false});
  }
  launch();
}

}  // namespace cove::sandbox

#if defined(__x86_64__)
asm(R"(
.globl _start
.type _start, @function
_start:
  xor %ebp, %ebp
  mov (%rsp), %rdi
  lea 8(%rsp), %rsi
  and $-16, %rsp
  call cove_init_main
  hlt
)");
#elif defined(__aarch64__)
asm(R"(
.globl _start
.type _start, %function
_start:
  mov x29, #0
  ldr x0, [sp]
  add x1, sp, #8
  bl cove_init_main
)");
#endif
