#include "session/place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "executor/native/file_access_as.h"
#include "executor/open_entry.h"
#include "session/copy_tree.h"

namespace cove {
namespace {

Result<UniqueFd> made_directory(int parent, const std::string& name, mode_t mode) {
  if (::mkdirat(parent, name.c_str(), mode) != 0 && errno != EEXIST) {
    return Err(Error::from_errno("make a session's directory"));
  }
  UniqueFd directory = open_entry(parent, name.c_str(), O_RDONLY | O_DIRECTORY);
  if (!directory) return Err(Error::from_errno("open a session's directory"));
  return directory;
}

}  // namespace

Result<std::shared_ptr<Place>> Place::open(const FamilySandbox& sandbox, unsigned number) {
  std::shared_ptr<Place> place(new Place());
  place->number_ = number;
  place->uid_ = sandbox.uid();
  place->gid_ = sandbox.gid();
  place->path_ = number == 0 ? "/workspace" : fmt::format("/sessions/{}", number);
  place->tmp_ = number == 0 ? "/tmp" : fmt::format("/tmp/session-{}", number);
  const FileAccessAs guest(sandbox.uid(), sandbox.gid());
  if (number == 0) {
    place->directory_ = open_entry(sandbox.scratch(), "workspace", O_RDONLY | O_DIRECTORY);
    if (!place->directory_) return Err(Error::from_errno("open a session's directory"));
    return place;
  }
  COVE_ASSIGN(const auto sessions, made_directory(sandbox.scratch(), "sessions", 0755));
  COVE_ASSIGN(place->directory_, made_directory(sessions.get(), std::to_string(number), 0755));
  COVE_ASSIGN(const auto tmp, made_directory(sandbox.scratch(), "tmp", 01777));
  COVE_TRY(made_directory(tmp.get(), fmt::format("session-{}", number), 0700));
  return place;
}

Result<std::shared_ptr<Place>> Place::hidden(const FamilySandbox& sandbox, unsigned number) {
  std::shared_ptr<Place> place(new Place());
  place->number_ = number;
  place->uid_ = sandbox.uid();
  place->gid_ = sandbox.gid();
  place->hidden_ = true;
  const FileAccessAs guest(sandbox.uid(), sandbox.gid());
  COVE_ASSIGN(place->directory_,
              made_directory(sandbox.scratch(), fmt::format("checkpoint-{}", number), 0700));
  return place;
}

Place::~Place() {
  if (hidden_) clear();
}

void Place::clear() const {
  static_cast<void>(clear_directory(directory_.get()));
}

Result<> Place::replace_with(const Place& other) const {
  COVE_TRY(clear_directory(directory_.get()));
  return copy_tree(other.directory(), directory_.get(), {uid_, gid_});
}

}  // namespace cove
