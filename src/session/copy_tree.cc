#include "session/copy_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "executor/native/file_access_as.h"
#include "executor/open_entry.h"

namespace cove {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxEntries = 200'000;
constexpr std::size_t kChunk = 1U << 20U;

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  UniqueFd again(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return names;
  again.release();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    if (names.size() > kMaxEntries) break;
  }
  return names;
}

Error copy_error(const std::string& name) {
  if (errno == ENOSPC || errno == EDQUOT) {
    return {ErrorCode::TooLarge,
            "the copy of the session's files does not fit the disk limit, which all branches of a "
            "session share"};
  }
  return Error::from_errno("copy " + escape_file_name(name));
}

class Copy {
 public:
  explicit Copy(FileOwner owner) : owner_(owner) {}

  Result<> directory(int from, int to, int depth) {
    if (depth > kMaxDepth) {
      return Err(Error(ErrorCode::TooLarge,
                       fmt::format("the session's directories are more than {} deep", kMaxDepth)));
    }
    for (const auto& name : names_in(from)) {
      if (++entries_ > kMaxEntries) {
        return Err(Error(ErrorCode::TooLarge,
                         fmt::format("the session has more than {} files", kMaxEntries)));
      }
      COVE_TRY(entry(from, to, name, depth));
    }
    return {};
  }

 private:
  Result<> entry(int from, int to, const std::string& name, int depth) {
    struct stat facts = {};
    if (::fstatat(from, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return {};  // gone again
    if (S_ISLNK(facts.st_mode)) return link(from, to, name);
    if (S_ISREG(facts.st_mode)) return file(from, to, name);
    if (!S_ISDIR(facts.st_mode)) return {};
    const UniqueFd source = open_unsealed(from, name.c_str(), O_RDONLY | O_DIRECTORY, 0700);
    if (!source) return {};
    if (make(to, name) != 0 && errno != EEXIST) return Err(copy_error(name));
    const UniqueFd target = open_entry(to, name.c_str(), O_RDONLY | O_DIRECTORY);
    if (!target) return Err(copy_error(name));
    COVE_TRY(directory(source.get(), target.get(), depth + 1));
    ::fchmod(target.get(), facts.st_mode & 0777U);
    return {};
  }

  int make(int to, const std::string& name) const {
    const FileAccessAs as(owner_.uid, owner_.gid);
    return ::mkdirat(to, name.c_str(), 0700);
  }

  UniqueFd create(int to, const std::string& name) const {
    const FileAccessAs as(owner_.uid, owner_.gid);
    return open_entry(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  }

  Result<> link(int from, int to, const std::string& name) const {
    std::array<char, 4096> target{};
    const ssize_t n = ::readlinkat(from, name.c_str(), target.data(), target.size() - 1);
    if (n <= 0) return {};
    const FileAccessAs as(owner_.uid, owner_.gid);
    if (::symlinkat(target.data(), to, name.c_str()) != 0 && errno != EEXIST) {
      return Err(copy_error(name));
    }
    return {};
  }

  Result<> file(int from, int to, const std::string& name) const {
    const UniqueFd source = open_unsealed(from, name.c_str(), O_RDONLY, 0400);
    struct stat facts = {};
    if (!source || ::fstat(source.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
    const UniqueFd target = create(to, name);
    if (!target) return Err(copy_error(name));
    // What it had when we looked: a file that grows while it is read would never end.
    for (off_t left = facts.st_size; left > 0;) {
      const auto want = std::min<std::size_t>(kChunk, static_cast<std::size_t>(left));
      const ssize_t n = ::sendfile(target.get(), source.get(), nullptr, want);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Err(copy_error(name));
      if (n == 0) break;
      left -= n;
    }
    ::fchmod(target.get(), facts.st_mode & 0777U);
    const std::array times = {facts.st_atim, facts.st_mtim};
    ::futimens(target.get(), times.data());
    return {};
  }

  FileOwner owner_;
  std::size_t entries_ = 0;
};

Result<> clear(int directory, int depth) {
  if (depth > kMaxDepth) return Err(Error(ErrorCode::TooLarge, "directories nest too deep"));
  for (const auto& name : names_in(directory)) {
    if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) continue;
    const UniqueFd below = open_unsealed(directory, name.c_str(), O_RDONLY | O_DIRECTORY, 0700);
    if (!below) return Err(Error::from_errno("open " + escape_file_name(name)));
    ::fchmod(below.get(), 0700);
    COVE_TRY(clear(below.get(), depth + 1));
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0) {
      return Err(Error::from_errno("remove " + escape_file_name(name)));
    }
  }
  return {};
}

}  // namespace

Result<> copy_tree(int from, int to, FileOwner owner) {
  return Copy(owner).directory(from, to, 0);
}

Result<> clear_directory(int directory) {
  return clear(directory, 0);
}

}  // namespace cove
