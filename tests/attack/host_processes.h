#pragma once
#include <string>
#include <vector>

namespace cove::attack {

// The processes of the host that gave themselves this name (at most 15 bytes): a guest is found by
// it from outside, whatever its own number of itself is.
std::vector<int> processes_named(const std::string& name);

// The real user id of a process; -1: gone.
long uid_of(int pid);

}  // namespace cove::attack
