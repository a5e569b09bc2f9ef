#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "sandbox/guest.h"
#include "session/session_recipe.h"

namespace cove {

// What Cove holds of one interpreter's connections.
struct MemberEnds {
  UniqueFd control;
  UniqueFd output;
  UniqueFd errors;
};

// One sandbox in which the interpreters of a session and its branches live, below a pid 1 of Cove's
// own. It ends with the last of them, or with the Cove process. Thread-safe.
class FamilySandbox {
 public:
  struct Launched {
    std::shared_ptr<FamilySandbox> sandbox;
    MemberEnds ends;
    pid_t pid = -1;  // of the first interpreter; it runs nothing foreign yet
  };
  static Result<Launched> launch(const SessionRecipe& recipe);

  // The directory that holds workspace/, tmp/ and sessions/. Guests cannot reach it by this way.
  int scratch() const { return guest_->scratch.get(); }
  std::uint32_t uid() const { return guest_->uid; }
  std::uint32_t gid() const { return guest_->gid; }

  // True for a process that lives in this sandbox, now.
  bool holds(pid_t pid) const;

  // The members by both their numbers: as we see them and as pid 1 does.
  // False for one that is a member already: who answers for another does not become a second one.
  bool enlist(pid_t pid, std::uint32_t inner_pid);
  void dismiss(pid_t pid);
  // How a member ended, by pid 1's word; waits a little for it.
  std::optional<int> wait_status_of(std::uint32_t inner_pid, std::chrono::milliseconds patience);

  // Without control groups: ends a member with all its descendants, and whoever in the sandbox has
  // been orphaned and is no member. Whose daemon that was cannot be told any more.
  void kill_tree(pid_t member);

 private:
  explicit FamilySandbox(std::unique_ptr<sandbox::Guest> guest) : guest_(std::move(guest)) {}
  void read_reports();

  std::unique_ptr<sandbox::Guest> guest_;
  std::mutex mutex_;
  std::map<pid_t, std::uint32_t> members_;
  std::map<std::uint32_t, int> ended_;  // of members only
};

}  // namespace cove
