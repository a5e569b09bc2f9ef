#pragma once
#include <ostream>
#include <string>
#include <vector>

namespace cove::toolchain {

// A program that keeps one language's compiler busy, and one that makes it write much. Where no
// program can, an ordinary one meets a limit that is too small for it.
struct HostileSample {
  std::string language;
  std::string comment = "// {}";
  std::string hangs;
  std::string timeout = "1s";
  std::string fills;  // empty: this compiler writes nothing
  std::string disk = "1m";
};

inline std::ostream& operator<<(std::ostream& out, const HostileSample& sample) {
  return out << sample.language;
}

const std::vector<HostileSample>& hostile_samples();

}  // namespace cove::toolchain
