#pragma once
#include "base/result.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"
#include "sandbox/guest.h"

namespace cove {

// Makes the program's file, empty, ahead of the job: some interpreters open it before they wait.
Result<> make_program_file(sandbox::Guest& guest, const std::string& extension);

// Puts the program (as main.<extension>), the harness input and the request's files into a waiting
// guest, through the directory descriptor that it sent, as the guest's user. Nothing foreign runs
// yet, but no link is ever followed. `workspace_path` is the working directory as the guest sees
// it.
Result<> write_guest_files(sandbox::Guest& guest, const ExecutionRequest& request,
                           const LanguageProfile& profile, const std::string& workspace_path);

}  // namespace cove
