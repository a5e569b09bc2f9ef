#pragma once
#include <string>

#include "model/execution_request.h"
#include "runtime/language_profile.h"

namespace cove {

// What an execution starts with, as an archive to be unpacked in the work directory: NAME with the
// request's files, and NAME.code with the program (and links to the files beside it, for languages
// that look for modules there). `work` is the path that NAME has in the container.
std::string program_archive(const std::string& name, const std::string& work,
                            const LanguageProfile& profile, const ExecutionRequest& request);

}  // namespace cove
