#include "host_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace cove::attack {

HostFile::HostFile(const std::string& content) {
  // Not below /tmp, where a guest has its own.
  directory_ = "/var/tmp/attacked-XXXXXX";
  EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
  EXPECT_EQ(::chmod(directory_.c_str(), 0755), 0);
  std::ofstream(path()) << content;
  EXPECT_EQ(::chmod(path().c_str(), 0644), 0);
}

HostFile::~HostFile() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace cove::attack
