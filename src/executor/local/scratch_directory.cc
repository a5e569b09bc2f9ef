#include "executor/local/scratch_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "executor/remove_tree.h"

namespace cove {

namespace {

Result<> write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Err(Error::from_errno("writing " + name));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<> write_new_file(int dirfd, const std::string& name, std::string_view bytes) {
  const UniqueFd fd(
      ::openat(dirfd, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) return Err(Error::from_errno("creating " + name));
  return write_all(fd.get(), bytes, name);
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::create(const std::string& prefix) {
  std::error_code problem;
  const std::filesystem::path base = std::filesystem::temp_directory_path(problem);
  std::string pattern =
      ((problem ? std::filesystem::path("/tmp") : base) / (prefix + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Err(Error::from_errno("creating a temporary directory " + pattern));
  }
  ScratchDirectory scratch;
  scratch.path_ = pattern;
  for (const char* part : {"/work", "/program"}) {
    if (::mkdir((pattern + part).c_str(), 0700) != 0) {
      return Err(Error::from_errno("creating " + pattern + part));
    }
  }
  scratch.work_.reset(
      ::open((pattern + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!scratch.work_) return Err(Error::from_errno("opening " + pattern + "/work"));
  return scratch;
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), work_(std::move(other.work_)) {}

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty()) remove_tree(path_);
}

Result<std::string> ScratchDirectory::write_program(const std::string& file_name,
                                                    std::string_view code) {
  const std::string directory = path_ + "/program";
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Err(Error::from_errno("opening " + directory));
  COVE_TRY(write_new_file(fd.get(), file_name, code));
  return directory + "/" + file_name;
}

Result<> ScratchDirectory::write_files(std::span<const ExecFile> files) {
  for (const ExecFile& file : files) {
    for (std::size_t slash = file.name.find('/'); slash != std::string::npos;
         slash = file.name.find('/', slash + 1)) {
      const std::string parent = file.name.substr(0, slash);
      if (::mkdirat(work_.get(), parent.c_str(), 0755) != 0 && errno != EEXIST) {
        return Err(Error::from_errno("creating " + parent));
      }
    }
    COVE_TRY(write_new_file(work_.get(), file.name, file.content));
  }
  return {};
}

}  // namespace cove
