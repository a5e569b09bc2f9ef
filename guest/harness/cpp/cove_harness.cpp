// The main of a harnessed C++ program, which provides cove::json run(const cove::json&).
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cove_run.hpp"

int main(int, char** argv) {
  const std::string program = argv[1];
  std::ifstream file(program.substr(0, program.rfind('/') + 1) + "input.json", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  try {
    const cove::json output = run(cove::json::parse(text.str()));
    std::cout.flush();
    std::fflush(stdout);
    // Always on a line of its own: what is in front of that newline is what the program printed.
    const std::string line = "\n" + output.dump() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  } catch (const std::exception& error) {
    std::cerr << "run(input) failed: " << error.what() << '\n';
    return 1;
  }
}
