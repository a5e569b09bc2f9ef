#pragma once
#include "model/execution_result.h"
#include "sandbox/guest.h"
#include "sandbox/supervisor.h"

namespace cove {

// Turns the kernel's word on how a guest ended into status, exit code, signal and limits.
void fill_outcome(const sandbox::GuestEnd& end, ExecutionResult& result);

// True if the guest's file system is full, in bytes or in files.
bool disk_is_full(const sandbox::Guest& guest);

// Splits what a harness printed: the last line is the value, if the run succeeded.
void take_structured_output(ExecutionResult& result);

}  // namespace cove
