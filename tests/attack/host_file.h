#pragma once
#include <string>

namespace cove::attack {

// A file on the host, in a directory of its own that everybody may enter, belonging to the test's
// user. Removed on destruction.
class HostFile {
 public:
  explicit HostFile(const std::string& content);
  ~HostFile();
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  const std::string& directory() const { return directory_; }
  std::string path() const { return directory_ + "/file"; }

 private:
  std::string directory_;
};

}  // namespace cove::attack
