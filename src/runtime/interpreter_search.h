#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/language_profile.h"

namespace cove {

// Where commands are looked for: the host's PATH, then the directories that every guest sees.
struct CommandPath {
  std::vector<std::string> directories;

  static CommandPath of_host();  // from the environment of this process
};

// Chooses an interpreter for the profile: the first of `interpreters`, then of `alternatives`, that
// is a program on this host. Costs a few stat() and readlink(); nothing is started, but for an
// alternative with `min_version`. The error says what was looked for and why it was passed over.
Result<Runtime> choose_interpreter(const LanguageProfile& profile, const CommandPath& path);

}  // namespace cove
