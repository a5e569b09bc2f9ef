#include "engine/private_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>

#include <fmt/format.h>

#include "base/random_id.h"

namespace cove {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::optional<std::string>> read_private_file(const std::string& path, Bytes most) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return Err(Error::from_errno("opening " + path));
  }
  std::string content;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Err(Error::from_errno("reading " + path));
    if (got == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(got));
    if (content.size() > most.value) {
      return Err(
          Error(ErrorCode::TooLarge, fmt::format("{} is larger than {} bytes", path, most.value)));
    }
  }
}

Result<> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Err(Error::from_errno("writing " + path));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

namespace {

// What root writes for a server that runs as somebody else must be readable for that one: the file
// keeps its owner; a new one, or one of root's, gets the owner of its directory.
Result<> give_to_owner(int file, const std::string& path) {
  if (::geteuid() != 0) return {};
  struct stat owner{};
  if (::stat(path.c_str(), &owner) != 0 || owner.st_uid == 0) {
    const std::string directory = directory_of(path);
    if (::stat(directory.c_str(), &owner) != 0) {
      return Err(Error::from_errno("looking at " + directory));
    }
  }
  if (::fchown(file, owner.st_uid, owner.st_gid) != 0) {
    return Err(Error::from_errno("giving " + path + " to its owner"));
  }
  return {};
}

// Writes what will become `path`.
Result<> write_and_sync(const std::string& beside, std::string_view content,
                        const std::string& path) {
  const UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Err(Error::from_errno("creating " + beside));
  COVE_TRY(give_to_owner(file.get(), path));
  COVE_TRY(write_all(file.get(), content, beside));
  if (::fsync(file.get()) != 0) return Err(Error::from_errno("syncing " + beside));
  return {};
}

}  // namespace

Result<> write_private_file(const std::string& path, std::string_view content) {
  const std::string beside = path + random_id(".");
  if (auto written = write_and_sync(beside, content, path); !written) {
    ::unlink(beside.c_str());
    return written;
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    auto error = Error::from_errno("renaming to " + path);
    ::unlink(beside.c_str());
    return Err(std::move(error));
  }
  const UniqueFd directory(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) {
    return Err(Error::from_errno("syncing the directory of " + path));
  }
  return {};
}

Result<> make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return Err(Error::from_errno("making directory " + path));
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return Err(Error::from_errno("looking at " + path));
  if (S_ISDIR(about.st_mode)) return {};
  return Err(Error(ErrorCode::InvalidRequest, path + " is there and is not a directory"));
}

Result<UniqueFd> lock_directory(const std::string& path, std::chrono::milliseconds patience) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return Err(Error::from_errno("opening directory " + path));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return Err(Error::from_errno("locking directory " + path));
    if (std::chrono::steady_clock::now() >= deadline) {
      return Err(Error(ErrorCode::Conflict, path + " is in use by another process"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return directory;
}

}  // namespace cove
