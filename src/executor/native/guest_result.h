#pragma once
#include <string>

#include "model/execution_result.h"
#include "runtime/language_profile.h"
#include "sandbox/guest.h"
#include "sandbox/setup_plan.h"
#include "sandbox/supervisor.h"

namespace cove {

// Turns the kernel's word on how a guest ended into status, exit code, signal and limits.
void fill_outcome(const sandbox::GuestEnd& end, ExecutionResult& result);

// Whether the guest ended because the program that a compiler built cannot be started: it is no
// program at all, or names a loader that is not there. That is the program's own fault.
bool is_unstartable_build(const sandbox::GuestEnd& end, const sandbox::SetupPlan& plan,
                          const Runtime& runtime);

// The outcome of such a program as a shell would tell it, and the line that belongs on its stderr.
void fill_unstartable(ExecutionResult& result);
std::string unstartable_reason(const sandbox::GuestEnd& end);

// True if the guest's file system is full, in bytes or in files.
bool disk_is_full(const sandbox::Guest& guest);

// Splits what a harness printed: the last line is the value, if the run succeeded. One that ended
// well without a value has failed, and a note says why; its exit code stays what it was.
void take_structured_output(ExecutionResult& result);

}  // namespace cove
