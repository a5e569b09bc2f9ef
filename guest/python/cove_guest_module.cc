// `_cove_guest`: what a Python zygote needs from the kernel, as an extension module. It uses only
// the stable ABI and no C library, so one file loads into any CPython from 3.9 on, glibc or musl.
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "fast_exit.h"
#include "sandbox/raw/job_reader.h"
#include "sandbox/raw/raw_syscalls.h"
#include "sandbox/raw/run_steps.h"
#include "touch_pages.h"
#include "vfork.h"

namespace cove::sandbox {
namespace {

using raw::call;

struct State {
  StepContext context;
  int own_pid_namespace = -1;
  int fds[kForkFds] = {-1, -1, -1, -1, -1};
  uint32_t stopped_at = 0;
};
State state;

PyObject* os_error(long negative_errno) {
  PyObject* arguments = Py_BuildValue("(is)", static_cast<int>(-negative_errno), "cove guest");
  if (arguments != nullptr) {
    PyErr_SetObject(PyExc_OSError, arguments);
    Py_DecRef(arguments);
  }
  return nullptr;
}

PyObject* none() {
  Py_IncRef(Py_None);
  return Py_None;
}

constexpr uint64_t kDefaultAction = 0;
constexpr uint64_t kIgnore = 1;

void set_child_signal(uint64_t handler) {
  const uint64_t action[4] = {handler, 0, 0,
                              0};  // a kernel sigaction: handler, flags, restorer, mask
  call(SYS_rt_sigaction, 17 /* SIGCHLD */, action, nullptr, 8);
}

// start(): maps the guests' plan. Once, in the zygote.
PyObject* start(PyObject*, PyObject*) {
  const long failed = open_plan(kGuestPlanFd, state.context.plan);
  if (failed < 0) return os_error(failed);
  const long own = call(SYS_openat, -100, "/proc/self/ns/pid", 02000000, 0);
  if (own < 0) return os_error(own);
  state.own_pid_namespace = static_cast<int>(own);
  prepare_page_record();
  return none();
}

// serve(): after the rehearsal, before the first guest.
PyObject* serve(PyObject*, PyObject*) {
  finish_page_record();
  // Nobody waits for the zygote's children: let the kernel take them away.
  set_child_signal(kIgnore);
  return none();
}

// await_command() -> bool: the next guest's descriptors and id; False when there is no more work.
PyObject* await_command(PyObject*, PyObject*) {
  uint32_t slot = 0;
  struct {
    void* base;
    uint64_t size;
  } vector = {&slot, sizeof slot};
  struct {
    uint64_t size;
    int level, type;
    int fds[kForkFds + kMaxJoinFds];
  } control = {};
  struct {
    void* name;
    uint32_t name_size, pad1;
    void* vectors;
    uint64_t vector_count;
    void* control;
    uint64_t control_size;
    int flags;
    uint32_t pad2;
  } message = {nullptr, 0, 0, &vector, 1, &control, sizeof control, 0, 0};
  long got;
  do {
    got = call(SYS_recvmsg, kJobFd, &message, 0x40000000 /* MSG_CMSG_CLOEXEC */);
  } while (got == -4);
  if (got < 0) return os_error(got);
  if (got != sizeof slot) return PyBool_FromLong(0);
  const int count = static_cast<int>((control.size - 2 * sizeof(uint64_t)) / sizeof(int));
  for (int i = 0; i < kForkFds; ++i) state.fds[i] = control.fds[i];
  state.context.join_count = count - kForkFds;
  for (int i = kForkFds; i < count; ++i) state.context.join_fds[i - kForkFds] = control.fds[i];
  state.context.guest_id = slot;
  state.context.job_fd = state.fds[3];
  state.context.status_fd = state.fds[4];
  // A fresh pid namespace for the next child; our own must be current before that.
  long failed = call(SYS_setns, state.own_pid_namespace, CLONE_NEWPID);
  if (failed == 0) failed = call(SYS_unshare, CLONE_NEWPID);
  return failed < 0 ? os_error(failed) : PyBool_FromLong(1);
}

// record(): at the end of the rehearsal.
PyObject* record(PyObject*, PyObject*) {
  record_pages();
  return none();
}

// The zygote's side of a fork.
void forget_command() {
  for (int& fd : state.fds) {
    call(SYS_close, fd);
    fd = -1;
  }
  for (int i = 0; i < state.context.join_count; ++i) call(SYS_close, state.context.join_fds[i]);
}

void write_number(char* to, int value) {
  char digits[12];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  for (int i = 0; i < n; ++i) to[i] = digits[n - 1 - i];
  to[n] = '\0';
}

// Pid 1 turns into the tiny helper that reaps and reports.
[[noreturn]] void become_init() {
  char status[12];
  char host[12];
  call(SYS_fcntl, state.fds[4], 2 /* F_SETFD */, 0);
  write_number(status, state.fds[4]);
  write_number(host, kHostFd);
  // While it has the right: the guest is about to give up what this process still holds. Where a
  // host forbids tracing, the end is just learnt a little later.
  const long failed_trace =
      call(SYS_ptrace, PTRACE_SEIZE, 2 /* the guest */, 0, PTRACE_O_TRACEEXIT);
  const char* mode = failed_trace == 0 ? "trace" : "watch";
  const char* argv[] = {"cove-init", mode, status, host, nullptr};
  const char* envp[] = {nullptr};
  const long failed = call(SYS_execveat, kInitFd, "", argv, envp, 0x1000 /* AT_EMPTY_PATH */);
  fail_step(state.context, state.stopped_at, -failed);
}

// fork(os.fork) -> bool: True in the guest, False in the zygote when pid 1 stands on its own.
//
// Pid 1 is born without a copy of the interpreter's memory: it borrows the zygote's, which sleeps
// until pid 1 has become cove-init. So the memory is copied once for each guest, not twice.
PyObject* fork_guest(PyObject*, PyObject* os_fork) {
  const long child = cove_vfork();
  if (child != 0) {
    forget_command();
    return child < 0 ? os_error(child) : PyBool_FromLong(0);
  }
  // The zygote ignores its children's ends. Pid 1 must not, from before it has one: a guest that
  // ends before cove-init waits would be taken away unseen.
  set_child_signal(kDefaultAction);
  state.stopped_at = run_steps(state.context, 0);
  PyObject* forked = PyObject_CallObject(os_fork, nullptr);
  if (forked == nullptr) {
    PyErr_Clear();
    fail_step(state.context, state.stopped_at, 11 /* EAGAIN */);
  }
  const long guest = PyLong_AsLong(forked);
  Py_DecRef(forked);
  if (guest != 0) become_init();
  return PyBool_FromLong(1);
}

// lock_down(): in the guest: its own standard streams, then no way back.
PyObject* lock_down(PyObject*, PyObject*) {
  touch_pages();
  for (int i = 0; i < 3; ++i) {
    const long failed = call(SYS_dup3, state.fds[i], i, 0);
    if (failed < 0) fail_step(state.context, state.stopped_at, -failed);
    call(SYS_close, state.fds[i]);
  }
  run_steps(state.context, state.stopped_at + 1);
  return none();
}

// ready(): reports, and keeps nothing open but the standard streams and the job.
PyObject* ready(PyObject*, PyObject*) {
  Report report = {};
  report.kind = ReportKind::Ready;
  const long sent = send_report(state.context.status_fd, report, state.context.scratch_fd);
  if (sent < 0) raw::exit_now(127);
  if (state.context.job_fd != kJobFd) {
    call(SYS_dup3, state.context.job_fd, kJobFd, 02000000);
  }
  call(SYS_close_range, kJobFd + 1, ~0U, 0);
  return none();
}

PyObject* take_list(JobReader& reader) {
  const uint32_t count = reader.number();
  if (!reader.ok) return nullptr;
  PyObject* list = PyList_New(0);
  for (uint32_t i = 0; list != nullptr && i < count; ++i) {
    uint32_t size = 0;
    const char* bytes = reader.piece(size);
    if (bytes == nullptr) return nullptr;
    PyObject* item = PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(size));
    if (item == nullptr || PyList_Append(list, item) != 0) return nullptr;
    Py_DecRef(item);
  }
  return list;
}

// take_job() -> (args, env) as lists of bytes, or None when there is no job to come.
PyObject* take_job(PyObject*, PyObject*) {
  const char* job = nullptr;
  const long size = read_job(kJobFd, &job);
  call(SYS_close, kJobFd);
  if (size <= 0) return none();
  JobReader reader = {job, job + size};
  PyObject* args = take_list(reader);
  PyObject* env = args == nullptr ? nullptr : take_list(reader);
  if (env == nullptr) return os_error(-74);
  call(SYS_munmap, job, size + 1);
  return Py_BuildValue("(NN)", args, env);
}

PyMethodDef methods[] = {{"start", start, METH_NOARGS, nullptr},
                         {"serve", serve, METH_NOARGS, nullptr},
                         {"record", record, METH_NOARGS, nullptr},
                         {"await_command", await_command, METH_NOARGS, nullptr},
                         {"fork", fork_guest, METH_O, nullptr},
                         {"lock_down", lock_down, METH_NOARGS, nullptr},
                         {"ready", ready, METH_NOARGS, nullptr},
                         {"take_job", take_job, METH_NOARGS, nullptr},
                         {"arm", arm_fast_exit, METH_O, nullptr},
                         {"at_exit", at_exit, METH_VARARGS, nullptr},
                         {"exit_seen", exit_seen, METH_NOARGS, nullptr},
                         {"quiet", all_quiet, METH_O, nullptr},
                         {"leave", leave_now, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cove_guest", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace cove::sandbox

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__cove_guest() {
  return PyModule_Create(&cove::sandbox::definition);
}
