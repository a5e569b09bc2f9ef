#include "sandbox/plan_builder.h"

#include <sched.h>

#include "sandbox/landlock.h"
#include "sandbox/rlimits.h"
#include "sandbox/rootfs.h"
#include "sandbox/seccomp_compile.h"

namespace cove::sandbox {
namespace {

constexpr const char* kHostname = "sandbox";
constexpr std::uint64_t kFirstPrivateFd = 4;

std::uint64_t outer_namespaces(const SandboxSpec& spec) {
  std::uint64_t flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  if (!spec.network) flags |= CLONE_NEWNET;
  return flags;
}

// From the host to a process that is pid 1 of a new world, with the new root assembled.
void add_outside(SetupPlan& plan, const SandboxSpec& spec, const std::vector<Placement>& placements,
                 std::uint32_t inner_id) {
  if (spec.can_change_ids) plan.add({.kind = StepKind::DropGroups});
  plan.add({.kind = StepKind::Unshare, .a = outer_namespaces(spec)});
  plan.add({.kind = StepKind::Hello});
  // Only now: the group's root becomes the one that the parent has just put us into.
  plan.add({.kind = StepKind::Unshare, .a = CLONE_NEWCGROUP});
  plan.add({.kind = StepKind::MakePrivate});
  add_open_trees(plan, placements);
  plan.add({.kind = StepKind::ForkInit});
  plan.add({.kind = StepKind::Announce});
  plan.add({.kind = StepKind::SetIds, .a = inner_id, .b = inner_id});
  plan.add({.kind = StepKind::NewSession});
  plan.add({.kind = StepKind::Umask, .a = 022});
  plan.add({.kind = StepKind::Hostname, .text = kHostname});
  add_root(plan, spec, placements);
}

// The guest itself gives up everything, then says that only the job is missing.
Result<> add_lock_down(SetupPlan& plan, const SandboxSpec& spec, bool forked) {
  plan.add({.kind = StepKind::NewSession});
  if (spec.terminal) plan.add({.kind = StepKind::Terminal});
  plan.add({.kind = StepKind::Chdir, .text = spec.working_directory});
  add_rlimits(plan, spec);
  plan.add({.kind = StepKind::NoNewPrivs});
  add_landlock(plan, spec);
  plan.add({.kind = StepKind::DropCaps});
  COVE_ASSIGN(auto program, seccomp_program(spec));
  plan.add({.kind = StepKind::Seccomp, .blob = std::move(program)});
  if (forked) return {};  // the interpreter warms up first, then reports and closes by itself
  plan.add({.kind = StepKind::Ready});
  plan.add({.kind = StepKind::CloseFrom, .flags = kAtExec, .a = kFirstPrivateFd});
  return {};
}

void add_exec(SetupPlan& plan, const SandboxSpec& spec) {
  if (spec.await_job) plan.add({.kind = StepKind::AwaitJob});
  plan.add({.kind = StepKind::Exec, .text = spec.executable, .argv = spec.argv, .envp = spec.env});
}

Result<SetupPlan> landlock_guest_plan(const SandboxSpec& spec) {
  SetupPlan plan;
  plan.set_flags(kPlanGroupKill);
  plan.add({.kind = StepKind::Hello});
  plan.add({.kind = StepKind::Subreaper});
  plan.add({.kind = StepKind::NewSession});
  if (spec.can_change_ids) {
    plan.add({.kind = StepKind::DropGroups});
    plan.add({.kind = StepKind::SetIds, .a = spec.uid, .b = spec.gid});
  }
  plan.add({.kind = StepKind::Umask, .a = 022});
  plan.add({.kind = StepKind::ForkMain});
  // A change of ids makes /proc/self root's; the guest needs its own to be found by Landlock.
  plan.add({.kind = StepKind::Dumpable, .a = 1});
  COVE_TRY(add_lock_down(plan, spec, false));
  add_exec(plan, spec);
  return plan;
}

}  // namespace

Result<SetupPlan> guest_plan(const SandboxSpec& spec) {
  if (spec.level == Level::Landlock) return landlock_guest_plan(spec);
  SetupPlan plan;
  if (spec.family) plan.set_flags(kPlanFamily);
  const auto placements = place_mounts(spec);
  add_outside(plan, spec, placements, kGuestUid);
  plan.add({.kind = StepKind::MountProc, .text = "proc"});
  add_scratch(plan, spec, "", {});
  add_covered_mounts(plan, placements);
  add_pivot(plan);
  add_proc_masks(plan);
  plan.add({.kind = StepKind::ForkMain});
  COVE_TRY(add_lock_down(plan, spec, false));
  add_exec(plan, spec);
  return plan;
}

Result<SetupPlan> zygote_plan(const SandboxSpec& spec) {
  SetupPlan plan;
  add_outside(plan, spec, place_mounts(spec), 0);
  // Unmasked: the kernel lets a guest mount its own /proc only where a whole one is visible.
  plan.add({.kind = StepKind::MountProc, .text = "proc"});
  add_pivot(plan);
  plan.add({.kind = StepKind::ForkMain});
  plan.add({.kind = StepKind::NewSession});
  plan.add({.kind = StepKind::Ready});
  plan.add({.kind = StepKind::CloseFrom, .a = kGuestPlanFd + 1});
  plan.add({.kind = StepKind::Exec, .text = spec.executable, .argv = spec.argv, .envp = spec.env});
  return plan;
}

Result<SetupPlan> forked_guest_plan(const SandboxSpec& spec) {
  SetupPlan plan;
  plan.add({.kind = StepKind::Join});
  plan.add({.kind = StepKind::Unshare, .a = CLONE_NEWNS});
  add_scratch(plan, spec, "/", {.told_by_zygote = true, .change = true});
  plan.add({.kind = StepKind::MountProc, .text = "/proc"});
  add_proc_masks(plan);
  // An id of its own, then a user namespace of its own in which it is nobody.
  plan.add({.kind = StepKind::KeepCaps});
  plan.add({.kind = StepKind::SetIds, .flags = kGuestId});
  plan.add({.kind = StepKind::RaiseCaps});
  plan.add({.kind = StepKind::Dumpable, .a = 1});
  std::uint64_t flags = CLONE_NEWUSER | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  // Guests of one zygote may share its empty network only where abstract sockets are scoped.
  if (spec.landlock_abi < 6) flags |= CLONE_NEWNET;
  plan.add({.kind = StepKind::Unshare, .a = flags});
  plan.add({.kind = StepKind::IdMapSelf, .flags = kGuestId, .a = kGuestUid});
  plan.add({.kind = StepKind::SetIds, .a = kGuestUid, .b = kGuestUid});
  plan.add({.kind = StepKind::Hostname, .text = kHostname});
  plan.add({.kind = StepKind::ForkMain});
  COVE_TRY(add_lock_down(plan, spec, true));
  return plan;
}

}  // namespace cove::sandbox
