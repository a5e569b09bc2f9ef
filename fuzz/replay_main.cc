// Runs a fuzz target once over every file below the directories and files named on the command
// line. A corpus that is missing or empty is a failure: a replay of nothing proves nothing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_of(const fs::path& where) {
  if (!fs::is_directory(where)) return {where};
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  return found;
}

bool replay(const fs::path& input) {
  std::ifstream file(input, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", input.c_str());
    return false;
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(data.data(), data.size());
  return true;
}

int run(const std::vector<fs::path>& places) {
  std::size_t count = 0;
  for (const auto& place : places) {
    for (const auto& input : inputs_of(place)) {
      if (!replay(input)) return 1;
      ++count;
    }
  }
  std::printf("%zu inputs replayed\n", count);
  return count == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "replay: %s\n", problem.what());
    return 1;
  }
}
