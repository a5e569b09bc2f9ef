#include "sandbox/probe.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sandbox/cgroup.h"
#include "sandbox/id_pool.h"
#include "sandbox/landlock.h"
#include "sandbox/launcher.h"
#include "sandbox/plan_builder.h"

namespace cove::sandbox {
namespace {

// A guest that waits for a job which never comes; nothing of it is ever executed.
Result<> try_sandbox(int abi) {
  IdPool ids = IdPool::for_this_process();
  COVE_ASSIGN(const auto uid, ids.take());
  SandboxSpec spec;
  spec.landlock_abi = abi;
  spec.can_change_ids = ids.can_change_ids();
  spec.uid = uid;
  spec.gid = ids.can_change_ids() ? uid : ids.own_gid();
  spec.executable = "/nonexistent";
  COVE_ASSIGN(const auto plan, guest_plan(spec));
  LaunchRequest request;
  request.plan = &plan;
  request.ids = IdMap{kGuestUid, spec.uid, spec.gid, 1};
  COVE_TRY(launch(std::move(request)));
  return {};
}

bool has_seccomp() {
  const unsigned action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace

HostFacts probe_host() {
  HostFacts facts;
  utsname name = {};
  ::uname(&name);
  facts.kernel = name.release;
  facts.is_root = ::geteuid() == 0;
  facts.landlock_abi = landlock_abi();
  facts.seccomp = has_seccomp();
  const CgroupProbe groups = probe_cgroups();
  if (groups.host) facts.cgroup = groups.host->version();
  facts.cgroup_reason = groups.reason;
  const auto tried = try_sandbox(facts.landlock_abi);
  facts.user_namespaces = tried.has_value();
  facts.mount_proc = tried.has_value();
  if (!tried) {
    const std::string& message = tried.error().message();
    const bool proc = message.find("mount proc") != std::string::npos;
    facts.user_namespaces = proc;
    facts.mount_proc_reason = proc ? message : "not reached";
    if (!proc) facts.user_namespaces_reason = message;
  }
  return facts;
}

}  // namespace cove::sandbox
