// Talking to the parent, and taking a job from it.
#include <linux/time_types.h>
#include <stddef.h>

#include "sandbox/raw/job_reader.h"
#include "sandbox/raw/raw_syscalls.h"
#include "sandbox/raw/run_steps.h"

namespace cove::sandbox {
namespace {

using raw::call;

constexpr long kErrBadMessage = -74;
constexpr long kErrTooBig = -7;
constexpr long kErrNoMemory = -12;
constexpr uint32_t kMaxVectors = 4096;

struct IoVector {
  void* base;
  uint64_t size;
};
struct MessageHeader {
  void* name;
  uint32_t name_size;
  uint32_t pad1;
  IoVector* vectors;
  uint64_t vector_count;
  void* control;
  uint64_t control_size;
  int flags;
  uint32_t pad2;
};
struct PassedFd {
  uint64_t size;
  int level;
  int type;
  int fd;
  int pad;
};

void* fresh_memory(uint64_t size) {
  const long at =
      call(SYS_mmap, nullptr, size, 3 /* READ|WRITE */, 0x22 /* PRIVATE|ANONYMOUS */, -1, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

// Appends `count` consecutive NUL-terminated strings of the pool.
uint32_t add_pool(const char** vector, uint32_t used, const char* pool, uint64_t count) {
  for (uint64_t i = 0; i < count && used < kMaxVectors - 1; ++i) {
    vector[used++] = pool;
    pool += raw::length(pool) + 1;
  }
  return used;
}

bool same_name(const char* variable, const char* other) {
  while (*variable == *other && *variable != '=' && *variable != '\0') {
    ++variable;
    ++other;
  }
  return *variable == '=' && *other == '=';
}

// A later definition of a variable replaces the earlier one.
uint32_t set_variable(const char** vector, uint32_t used, const char* variable) {
  for (uint32_t i = 0; i < used; ++i) {
    if (same_name(vector[i], variable)) {
      vector[i] = variable;
      return used;
    }
  }
  if (used < kMaxVectors - 1) vector[used++] = variable;
  return used;
}

}  // namespace

long send_report(int status_fd, const Report& report, int pass_fd, int flags) {
  IoVector vector = {const_cast<Report*>(&report), sizeof report};
  PassedFd passed = {sizeof(uint64_t) + 3 * sizeof(int), 1 /* SOL_SOCKET */, 1 /* SCM_RIGHTS */,
                     pass_fd, 0};
  MessageHeader header = {};
  header.vectors = &vector;
  header.vector_count = 1;
  if (pass_fd >= 0) {
    header.control = &passed;
    header.control_size = sizeof passed;
  }
  return call(SYS_sendmsg, status_fd, &header, flags | 0x4000 /* MSG_NOSIGNAL */);
}

long join_group(const int* fds, int count) {
  long failed = 0;
  for (int i = 0; i < count; ++i) {
    const long written = call(SYS_write, fds[i], "0", 1L);
    if (written < 0) failed = written;
    call(SYS_close, fds[i]);
  }
  return failed;
}

long await_go(int status_fd) {
  char count = 0;
  IoVector vector = {&count, 1};
  struct {
    uint64_t size;
    int level;
    int type;
    int fds[kMaxJoinFds];
  } control = {};
  MessageHeader header = {};
  header.vectors = &vector;
  header.vector_count = 1;
  header.control = &control;
  header.control_size = sizeof control;
  const long got = call(SYS_recvmsg, status_fd, &header, 0x40000000 /* MSG_CMSG_CLOEXEC */);
  if (got != 1) return got < 0 ? got : -32;
  const int files = count - '0';
  return join_group(control.fds, files < kMaxJoinFds ? files : kMaxJoinFds);
}

long read_job(int fd, const char** job) {
  uint32_t head[2] = {};
  const long got = raw::read_all(fd, head, sizeof head);
  if (got <= 0) return got;
  if (got != sizeof head || head[0] != kJobMagic || head[1] > kMaxJobBytes) return kErrBadMessage;
  char* bytes = static_cast<char*>(fresh_memory(head[1] + 1));
  if (bytes == nullptr) return kErrNoMemory;
  if (raw::read_all(fd, bytes, head[1]) != static_cast<long>(head[1])) return kErrBadMessage;
  *job = bytes;
  return head[1];
}

long exec_step(const StepContext& context, const RawStep& step, const char* job,
               uint32_t job_size) {
  auto** argv = static_cast<const char**>(fresh_memory(2UL * kMaxVectors * sizeof(char*)));
  // Strings of the job, terminated: at most one byte more each than the length field took.
  char* copies = static_cast<char*>(fresh_memory(job_size + 1));
  if (argv == nullptr || copies == nullptr) return kErrNoMemory;
  const char** envp = argv + kMaxVectors;
  const char* arguments = context.plan.pool + step.a;
  uint32_t args_used = add_pool(argv, 0, arguments, step.b & 0xffffffffU);
  uint32_t env_used = add_pool(envp, 0, context.plan.pool + step.c, step.b >> 32U);
  if (job != nullptr) {
    JobReader reader = {job, job + job_size};
    const uint32_t more_args = reader.number();
    for (uint32_t i = 0; i < more_args && reader.ok; ++i) {
      if (args_used >= kMaxVectors - 1) return kErrTooBig;
      argv[args_used++] = reader.text(copies);
    }
    const uint32_t more_env = reader.number();
    for (uint32_t i = 0; i < more_env && reader.ok; ++i) {
      const char* variable = reader.text(copies);
      if (env_used >= kMaxVectors - 1) return kErrTooBig;
      if (reader.ok) env_used = set_variable(envp, env_used, variable);
    }
    if (!reader.ok) return kErrBadMessage;
  }
  argv[args_used] = nullptr;
  envp[env_used] = nullptr;
  return call(SYS_execve, context.plan.pool + step.text, argv, envp);
}

}  // namespace cove::sandbox
