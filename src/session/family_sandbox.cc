#include "session/family_sandbox.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "executor/native/guest_spec.h"
#include "sandbox/launcher.h"
#include "sandbox/plan_builder.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Result<sandbox::SandboxSpec> family_spec(const SessionRecipe& recipe) {
  ExecutionRequest request;
  request.language = recipe.options.language;
  request.policy = recipe.options.policy;
  request.env = recipe.options.env;
  COVE_ASSIGN(auto spec, make_spec(*recipe.host, recipe.runtime, request, recipe.limits, {},
                                   StartMode::AwaitJob));
  spec.family = true;
  spec.await_job = false;
  spec.argv = recipe.argv;
  // A control group counts processor time for each cell; without one it is the interpreter's life.
  if (recipe.host->has_cgroups()) spec.cpu_seconds.reset();
  for (auto& variable : make_job(request).env) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(spec.env, [&](const std::string& entry) { return entry.starts_with(name); });
    spec.env.push_back(std::move(variable));
  }
  return spec;
}

struct Seen {
  pid_t parent = 0;
  bool zombie = false;
};

Seen look_at(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  const auto behind_name = text.rfind(')');  // the name may hold anything
  if (behind_name == std::string::npos) return {};
  std::istringstream fields(text.substr(behind_name + 1));
  char state = '?';
  Seen seen;
  fields >> state >> seen.parent;
  seen.zombie = state == 'Z';
  return seen;
}

// Every process of the host, with its parent.
std::map<pid_t, Seen> all_processes() {
  std::map<pid_t, Seen> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    found[pid] = look_at(pid);
  }
  return found;
}

std::set<pid_t> descendants(const std::map<pid_t, Seen>& all, std::set<pid_t> of) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, seen] : all) {
      if (of.contains(seen.parent) && of.insert(pid).second) grown = true;
    }
  }
  return of;
}

}  // namespace

Result<FamilySandbox::Launched> FamilySandbox::launch(const SessionRecipe& recipe) {
  sandbox::IdPool ids = recipe.host->ids;
  COVE_ASSIGN(const auto uid, ids.take());
  std::shared_ptr<void> lease(nullptr, [ids, uid](void*) mutable { ids.release(uid); });
  COVE_ASSIGN(auto spec, family_spec(recipe));
  if (spec.uid == ids.own_uid() && ids.can_change_ids()) spec.uid = spec.gid = uid;
  COVE_ASSIGN(const auto plan, sandbox::guest_plan(spec));
  sandbox::LaunchRequest launch;
  launch.plan = &plan;
  launch.uid = spec.uid;
  launch.gid = spec.gid;
  launch.ids = sandbox::IdMap{sandbox::kGuestUid, spec.uid, spec.gid, 1};
  // Pid 1 and the start of an interpreter; members get groups of their own.
  if (recipe.host->has_cgroups()) {
    COVE_ASSIGN(launch.group, recipe.host->cgroups.host->create());
    COVE_TRY(launch.group->set_limits(group_limits(recipe.limits)));
  }
  COVE_ASSIGN(auto guest, sandbox::launch(std::move(launch)));
  guest->on_gone = [lease] {};
  guest->stdin_write.reset();  // nobody types: reading gives the end of the file
  Launched launched;
  launched.pid = guest->main_pid;
  launched.ends = {std::move(guest->job), std::move(guest->stdout_read),
                   std::move(guest->stderr_read)};
  launched.sandbox.reset(new FamilySandbox(std::move(guest)));
  return launched;
}

bool FamilySandbox::holds(pid_t pid) const {
  // Whoever is in the pid namespace descends from its pid 1. (Asking for the namespace itself needs
  // more rights over that process than an ordinary user has.)
  constexpr int kMaxGenerations = 1000;
  pid_t ancestor = pid;
  for (int i = 0; i < kMaxGenerations && ancestor > 1; ++i) {
    ancestor = look_at(ancestor).parent;
    if (ancestor == guest_->init_pid) return true;
  }
  return false;
}

bool FamilySandbox::enlist(pid_t pid, std::uint32_t inner_pid) {
  const std::lock_guard lock(mutex_);
  ended_.erase(inner_pid);
  return members_.emplace(pid, inner_pid).second;
}

void FamilySandbox::dismiss(pid_t pid) {
  const std::lock_guard lock(mutex_);
  const auto found = members_.find(pid);
  if (found == members_.end()) return;
  ended_.erase(found->second);
  members_.erase(found);
}

void FamilySandbox::read_reports() {
  sandbox::Report report = {};
  // It does not block. NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
  while (::recv(guest_->status.get(), &report, sizeof report, MSG_DONTWAIT) == sizeof report) {
    if (report.kind != sandbox::ReportKind::Reaped) continue;
    for (const auto& [pid, inner] : members_) {
      if (inner == report.step) ended_[inner] = report.wait_status;
    }
  }
}

std::optional<int> FamilySandbox::wait_status_of(std::uint32_t inner_pid, milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      read_reports();
      if (const auto found = ended_.find(inner_pid); found != ended_.end()) return found->second;
    }
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(2));
  }
}

void FamilySandbox::kill_tree(pid_t member) {
  const std::lock_guard lock(mutex_);
  // Who was forking while we looked is found the next time round.
  for (int round = 0; round < 50; ++round) {
    const auto all = all_processes();
    auto doomed = descendants(all, {member});
    for (const auto& [pid, seen] : all) {
      const bool orphan = seen.parent == guest_->init_pid && !members_.contains(pid);
      if (orphan && !doomed.contains(pid)) doomed.merge(descendants(all, {pid}));
    }
    bool any = false;
    for (const pid_t pid : doomed) {
      const auto found = all.find(pid);
      if (found == all.end() || found->second.zombie) continue;
      // A branch is its parent's descendant by birth, not by belonging.
      if (pid != member && members_.contains(pid)) continue;
      any = true;
      ::kill(pid, SIGKILL);
    }
    if (!any) return;
    std::this_thread::sleep_for(milliseconds(2));
  }
}

}  // namespace cove
