#pragma once
#include <span>
#include <string>
#include <vector>

namespace cove {

// The host paths that must be visible, read-only, for an interpreter to start in a sandbox.
struct MountList {
  std::string interpreter;         // where to start it: see list_mounts()
  std::vector<std::string> paths;  // parents first, none below another
};

// Lists the base system, what the interpreter and the `needed` commands are installed with (a
// virtual environment and the installation below it), and those of `extra` that exist. A directory
// that is too much to show for one program, such as somebody's home, is never listed: when the
// interpreter is a link in one, `interpreter` becomes what the link leads to.
MountList list_mounts(const std::string& interpreter, std::span<const std::string> needed,
                      std::span<const std::string> extra);

}  // namespace cove
