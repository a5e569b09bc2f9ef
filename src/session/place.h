#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "session/family_sandbox.h"

namespace cove {

// Where the files of one session are: a directory of its family's scratch, held open. It stays
// readable for as long as it is held, also when its sandbox is gone.
class Place {
 public:
  // Number 0 is the first session's, /workspace; others are /sessions/NUMBER, made if need be.
  static Result<std::shared_ptr<Place>> open(const FamilySandbox& sandbox, unsigned number);
  // One that no interpreter can see, for the files of a checkpoint; cleared with its last holder.
  static Result<std::shared_ptr<Place>> hidden(const FamilySandbox& sandbox, unsigned number);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  int directory() const { return directory_.get(); }
  const std::string& path() const { return path_; }  // as the session's code sees it
  const std::string& tmp() const { return tmp_; }
  unsigned number() const { return number_; }
  // Whose files these are on the host.
  std::uint32_t uid() const { return uid_; }
  std::uint32_t gid() const { return gid_; }

  // Everything of another place, instead of what is here.
  Result<> replace_with(const Place& other) const;
  // Removes its files, so that branches that live on get the room.
  void clear() const;

 private:
  Place() = default;

  UniqueFd directory_;
  std::string path_;
  std::string tmp_;
  unsigned number_ = 0;
  std::uint32_t uid_ = 0;
  std::uint32_t gid_ = 0;
  bool hidden_ = false;
};

}  // namespace cove
