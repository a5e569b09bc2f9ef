#pragma once
// The wire format of a set-up plan: what the parent decides and the child carries out. Shared by
// the library (which writes it) and the freestanding code (which reads it), so it depends on
// nothing but fixed-width integers.
#include <stdint.h>

namespace cove::sandbox {

// One kernel operation each. A step names what it needs in `a`, `b`, `c` and up to two strings.
enum class StepKind : uint32_t {
  Unshare,      // a: CLONE_NEW* flags
  Hello,        // tell the parent who we are; when it has mapped our ids, join our group
  Join,         // a zygote's child: join the group that came with the command; say who we are
  Announce,     // tell the parent that this process is the init
  ForkInit,     // the caller ends here; its child goes on as pid 1 (sibling of the caller)
  ForkMain,     // the caller becomes the init loop; its child goes on as the guest
  DropGroups,   // forget the supplementary groups
  SetIds,       // a: uid, b: gid; flag kGuestId: the id that the zygote was told
  IdMapSelf,    // a: id inside a new user namespace; b: outside; flag kGuestId as above
  KeepCaps,     // capabilities survive the next SetIds
  RaiseCaps,    // permitted capabilities become effective again
  MakePrivate,  // no mount event leaves or enters
  OpenTree,     // text: source; a: slot; flags kOptional, kNonRecursive
  AttachTree,   // a: slot; text: target; b: MOUNT_ATTR_* to set
  MountTmpfs,   // text: target; text2: options; b: MS_* flags
  MountProc,    // text: target
  Bind,         // text: source; text2: target; b: MOUNT_ATTR_* to set, 0: those of the source
  Mask,         // text: a path that the guest must not see into; text2: what it sees there
  RemountRo,    // text: mount point
  Chdir,        // text
  PivotRoot,    // the current directory becomes /, the old root is detached
  Mkdir,        // text; a: mode
  Symlink,      // text: target; text2: where
  WriteFile,    // text: path; blob at a, b bytes long; c: mode
  Touch,        // text: path; c: mode (a mount point for a file)
  Chown,        // text: path; a: uid; b: gid; flag kGuestId as above
  OpenScratch,  // text: directory whose descriptor goes to the parent
  Hostname,     // text
  NewSession,   // setsid
  Terminal,     // standard input becomes the session's controlling terminal
  Umask,        // a
  Subreaper,    // orphans come to us although we are not pid 1
  Rlimit,       // a: resource; b: soft limit; c: hard limit, 0 for the same
  NoNewPrivs,
  DropCaps,       // every capability set, and the bounding set
  LandlockBegin,  // a: handled file rights; b: handled TCP rights; c: scopes
  LandlockAllow,  // text: path; a: rights; flag kOptional
  LandlockEnforce,
  Seccomp,    // blob at a: sock_filter array of b bytes
  Dumpable,   // a: 0 or 1; a change of ids makes a process undumpable and hides its own /proc
  CloseFrom,  // a: first descriptor; closed now, or with flag kAtExec only then
  Ready,      // tell the parent that only the job is missing
  AwaitJob,   // read arguments and environment from the job descriptor
  Exec,       // text: program; strings at a: argv (b of them); strings at c: envp
  Count,
};

constexpr uint32_t kOptional = 1;      // a missing path is no failure
constexpr uint32_t kNonRecursive = 2;  // do not clone mounts below the source
constexpr uint32_t kGuestId = 4;
constexpr uint32_t kAtExec = 8;

struct RawStep {
  StepKind kind;
  uint32_t flags;
  uint64_t a;
  uint64_t b;
  uint64_t c;
  uint32_t text;  // offsets into the pool, NUL-terminated
  uint32_t text2;
};

constexpr uint32_t kPlanMagic = 0x314e4c50;  // "PLN1"

// Followed by step_count RawSteps and pool_size bytes.
struct PlanHeader {
  uint32_t magic;
  uint32_t step_count;
  uint32_t pool_size;
  uint32_t flags;  // kPlan* below
};

constexpr uint32_t kPlanGroupKill = 1;  // no pid namespace: the tree is ended through its group
constexpr uint32_t kPlanFamily = 2;     // pid 1 outlives the main process: see InitTask::family

// Descriptors of a launched helper, before the guest gets its own.
constexpr int kJobFd = 3;
constexpr int kStatusFd = 4;
constexpr int kPlanFd = 5;
constexpr int kHostFd = 6;       // pidfd of the Cove process: readable when it is gone
constexpr int kInitFd = 7;       // the helper itself, for a zygote's children
constexpr int kGuestPlanFd = 8;  // plan of a zygote's children

constexpr int kMaxJoinFds = 8;  // files of a control group, with the answer to Hello or a command

// What a zygote gets for each guest: an id, and these descriptors, then those of its control group.
constexpr int kForkFds = 5;  // stdin, stdout, stderr, job, status

// What comes back over the status socket, one datagram each.
enum class ReportKind : uint32_t { Hello = 1, Announce, Failed, Ready, Exited, Reaped };

struct Report {
  ReportKind kind;
  uint32_t step;        // Failed: which step; Reaped: which process, as pid 1 sees it
  int32_t error;        // Failed: errno
  int32_t wait_status;  // Exited, Reaped: of that process, as the kernel gave it
  uint64_t user_us;     // Exited: processor time of the whole tree
  uint64_t system_us;
  uint64_t peak_kib;  // Exited: largest resident set of one process
};

constexpr uint32_t kJobMagic = 0x4a564f43;  // "COVJ"
constexpr uint32_t kMaxJobBytes = 2U << 20U;

}  // namespace cove::sandbox
