#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/raw/plan_format.h"

namespace cove::sandbox {

// One step, as the parent writes it: see StepKind for what each field means.
struct SetupStep {
  StepKind kind = StepKind::Count;
  std::uint32_t flags = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  // The initialisers let a step leave these out without a warning.
  // NOLINTBEGIN(readability-redundant-member-init)
  std::string text = {};
  std::string text2 = {};
  std::string blob = {};               // WriteFile, Seccomp
  std::vector<std::string> argv = {};  // Exec
  std::vector<std::string> envp = {};  // Exec
  // NOLINTEND(readability-redundant-member-init)
};

// The set-up of one sandbox as a list that is made first, can be printed, and is then carried out
// by `cove-init` without another decision.
class SetupPlan {
 public:
  void add(SetupStep step) { steps_.push_back(std::move(step)); }
  void set_flags(std::uint32_t flags) { flags_ = flags; }
  const std::vector<SetupStep>& steps() const { return steps_; }

  // The bytes that the helper maps, in a sealed memory file.
  Result<UniqueFd> to_memfd() const;
  std::string serialise() const;

  // One line a step, as `cove run --explain` shows it.
  std::string describe() const;

 private:
  std::vector<SetupStep> steps_;
  std::uint32_t flags_ = 0;
};

std::string_view step_name(StepKind kind);
std::string describe_step(const SetupStep& step);

// An error for a step that failed in the child: step, errno, what to do.
Error step_error(const SetupPlan& plan, std::uint32_t index, int error_number);

}  // namespace cove::sandbox
