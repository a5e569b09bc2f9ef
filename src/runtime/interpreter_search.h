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
  // A directory on the host that is / for the guest, such as an image's; empty: the host's own.
  // Nothing in it is ever started to be asked for its version.
  std::string root = {};  // NOLINT(readability-redundant-member-init): so that it may be left out

  static CommandPath of_host();  // from the environment of this process
};

// Chooses an interpreter for the profile: the first of `interpreters`, then of `alternatives`, that
// is a program there. In a root of its own the order of PATH counts before a profile's absolute
// paths, and there is nothing to mount besides it. Costs a few stat() and readlink(); nothing is
// started, but for an alternative with `min_version`. The error says what was looked for and why it
// was passed over.
Result<Runtime> choose_interpreter(const LanguageProfile& profile, const CommandPath& path);

}  // namespace cove
