#pragma once
#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/unique_fd.h"

namespace cove::testing {

// A directory that goes away with the test, with a file beside what is tested that nobody may
// touch.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "cove-image-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(inner());
    write(path_ + "/outside", "untouched");
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string inner() const { return path_ + "/inner"; }
  std::string inner(const std::string& name) const { return path_ + "/inner/" + name; }
  UniqueFd open() const {
    return UniqueFd(::open(inner().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  // Only "inner" and "outside", and that as it was.
  bool outside_is_untouched() const {
    return std::distance(std::filesystem::directory_iterator(path_), {}) == 2 &&
           read(path_ + "/outside") == "untouched";
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace cove::testing
