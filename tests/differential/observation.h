#pragma once
#include <map>
#include <string>

namespace cove::differential {

// All that a caller can see of one run. Two runs of one program must give equal observations.
struct Observation {
  std::string end;  // "exit 3", "signal SIGTERM", or what went wrong instead
  std::string out;
  std::string err;
  std::map<std::string, std::string> files;  // new or changed in the working directory

  bool operator==(const Observation&) const = default;
};

// Empty if equal; else what differs, from the first differing line of each part on.
std::string difference(const Observation& expected, const Observation& actual);

}  // namespace cove::differential
