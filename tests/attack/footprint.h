#pragma once
#include <set>
#include <string>

namespace cove::attack {

// What a process holds of the host: compared before and after an attack.
struct Footprint {
  std::set<std::string> descriptors;  // "7 -> pipe"
  std::set<std::string> mounts;
  std::set<std::string> cgroups;    // Cove's own groups of this process
  std::set<std::string> temporary;  // Cove's own entries in the directory for temporary files
  std::set<int> children;           // with every orphan below: the test adopts them

  static Footprint now();
};

// From here on an orphan of a guest that escaped its init becomes our child, and is seen.
void adopt_orphans();

// What `after` has more than `before`, one thing a line; empty: nothing.
std::string leftovers(const Footprint& before, const Footprint& after);

}  // namespace cove::attack
