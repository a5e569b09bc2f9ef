#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "sandbox/cgroup.h"
#include "session/control_channel.h"
#include "session/family_sandbox.h"

namespace cove {

// One interpreter of a family: its process, known by a descriptor of the kernel's, its control
// group if there are any, and its connections. Destroying it ends the process with everything it
// started. interrupt(), kill(), alive() and memory() may come from any thread, the rest from the
// one whose turn it is.
class Member {
 public:
  // Takes over a process of the sandbox that waits and has run nothing foreign since it was made.
  static Result<std::unique_ptr<Member>> adopt(const SessionRecipe& recipe,
                                               std::shared_ptr<FamilySandbox> sandbox, pid_t pid,
                                               MemberEnds ends);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void interrupt() const;  // as Ctrl-C would, to it and what it waits for
  void kill() const;
  bool alive() const;
  bool wait_until_ended(std::chrono::milliseconds patience) const;
  Bytes memory() const;
  // "SIGSEGV", "exit code 3": how it ended, as the kernel told pid 1.
  std::string how_it_ended() const;
  // Whether the kernel has ended one of its processes for want of memory since the last call; what
  // oom_event_fd() had to tell is told.
  bool ran_out_of_memory();

  int pidfd() const { return pidfd_.get(); }
  int oom_event_fd() const { return group_ ? group_->oom_event_fd() : -1; }
  sandbox::Cgroup* group() const { return group_.get(); }
  const std::shared_ptr<FamilySandbox>& sandbox() const { return sandbox_; }

  ControlChannel channel;
  UniqueFd output;
  UniqueFd errors;

 private:
  Member(std::shared_ptr<FamilySandbox> sandbox, pid_t pid, MemberEnds ends);

  std::shared_ptr<FamilySandbox> sandbox_;
  pid_t pid_;
  std::uint32_t inner_pid_ = 0;
  UniqueFd pidfd_;
  std::unique_ptr<sandbox::Cgroup> group_;
  std::uint64_t oom_kills_ = 0;
};

// The connections of a new member: ours, and the ones to hand over. Our control end learns who
// speaks.
struct MemberSockets {
  MemberEnds ours;
  MemberEnds theirs;
};
Result<MemberSockets> make_member_sockets(std::uint32_t uid, std::uint32_t gid);

}  // namespace cove
