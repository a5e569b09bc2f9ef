#pragma once
#include <memory>
#include <string>
#include <vector>

#include "session/member.h"
#include "session/place.h"

namespace cove {

struct StartedMember {
  std::shared_ptr<Member> member;
  std::shared_ptr<Place> place;
};

// A fresh interpreter in a sandbox of its own; it waits for its first cell. `files`, if not null,
// are copied to its place first.
Result<StartedMember> start_fresh(const SessionRecipe& recipe, unsigned place_number,
                                  const Place* files);

struct Branch {
  std::shared_ptr<Member> member;  // dormant until start_branch()
  std::vector<std::string> lost_threads;
};

// Has an interpreter fork itself, between cells. Who the new process is comes from the kernel; what
// was lost is the interpreter's word.
Result<Branch> fork_member(const SessionRecipe& recipe, Member& from);

// Wakes a branch: it goes to `to`, taking along what pointed into `previous`.
Result<> start_branch(const SessionRecipe& recipe, Member& branch, const Place& to,
                      const std::string& previous);

}  // namespace cove
