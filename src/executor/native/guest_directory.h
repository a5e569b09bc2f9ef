#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// A private host directory with workspace/, code/ and tmp/, for guests that have no mounts of their
// own. Removed with everything in it on destruction.
class GuestDirectory {
 public:
  // Belongs to `uid`, closed to others. Leftovers of dead Cove processes are removed on the way.
  static Result<std::unique_ptr<GuestDirectory>> create(std::uint32_t uid, std::uint32_t gid);
  ~GuestDirectory();
  GuestDirectory(const GuestDirectory&) = delete;
  GuestDirectory& operator=(const GuestDirectory&) = delete;

  // Hands it to another user, while it is empty.
  Result<> give_to(std::uint32_t uid, std::uint32_t gid) const;

  const std::string& path() const { return path_; }
  Result<UniqueFd> open() const;

 private:
  explicit GuestDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace cove
