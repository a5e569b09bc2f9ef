#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace cove::toolchain {

// Small programs of one compiled language.
struct Sample {
  std::string language;
  std::string comment = "// {}";  // one line, {} being what it says
  std::string echo;  // prints "é:", the first argument, a space and the first line of stdin
  std::string exit3;
  std::string crash;        // an uncaught error of its own kind
  std::string crash_says;   // on stderr
  std::string broken;       // does not compile:
  std::string broken_file;  // where,
  std::uint32_t broken_line = 0;
  std::uint32_t broken_column = 0;
  std::string broken_says;  // and why
  std::string warned;       // compiles with a warning, and prints "ok"
  std::string warned_says;
  std::string host_file;       // names /etc/shadow (or a file of the host) at compile time
  std::string host_file_says;  // what the compiler says: that there is none
  std::string endless;  // keeps the compiler busy or nests without end: must end within its limits
  // A program of at least `lines` lines that prints their number.
  std::string (*large)(int lines) = nullptr;
};

inline std::ostream& operator<<(std::ostream& out, const Sample& sample) {
  return out << sample.language;
}

const std::vector<Sample>& samples();

}  // namespace cove::toolchain
