#pragma once
#include <string>
#include <vector>

namespace cove::differential {

// Makes this process see what a guest sees: `scratch`/code, workspace and tmp at /code, /workspace
// and /tmp, the host's own /usr and /etc, a /proc of its pid namespace. For a single-threaded child
// that owns its namespaces. Gives the step that failed, with errno set, or null.
const char* enter_bare_root(const std::string& scratch);

// New user, mount, pid and ipc namespaces in which the caller is nobody. The same answer.
const char* become_nobody();

}  // namespace cove::differential
