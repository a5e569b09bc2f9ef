#include "cli/output_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "base/unique_fd.h"
#include "cli/console.h"

namespace cove {

namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Goes down one component, making it if it is not there. No component can be a link or a `..`.
Result<UniqueFd> enter(int dirfd, const std::string& name) {
  if (name.empty() || name == "." || name == "..") {
    return Err(Error(ErrorCode::Rejected, "the name leaves the directory"));
  }
  if (::mkdirat(dirfd, name.c_str(), 0755) != 0 && errno != EEXIST) {
    return Err(Error::from_errno("creating the directory " + name));
  }
  UniqueFd fd(::openat(dirfd, name.c_str(), kDirectoryFlags));
  if (!fd) return Err(Error::from_errno("opening the directory " + name));
  return fd;
}

// A new file that is complete before it takes the name; rename() replaces a link, not its target.
Result<> replace_file(int dirfd, const std::string& name, std::string_view content) {
  if (name.empty() || name == "." || name == "..") {
    return Err(Error(ErrorCode::Rejected, "the name leaves the directory"));
  }
  const std::string temporary = random_id(".cove-");
  {
    const UniqueFd fd(::openat(dirfd, temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!fd) return Err(Error::from_errno("creating a file"));
    if (!write_fully(fd.get(), content)) {
      const int problem = errno;
      ::unlinkat(dirfd, temporary.c_str(), 0);
      return Err(Error::from_errno("writing", problem));
    }
  }
  if (::renameat(dirfd, temporary.c_str(), dirfd, name.c_str()) != 0) {
    const int problem = errno;
    ::unlinkat(dirfd, temporary.c_str(), 0);
    return Err(Error::from_errno("renaming", problem));
  }
  return {};
}

Result<> write_one(int root, const OutputFile& file) {
  if (!file.content) return Err(Error(ErrorCode::Internal, "its content was not collected"));
  const std::vector<std::string_view> parts = split(file.name, '/');
  UniqueFd directory;
  int current = root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    COVE_ASSIGN(directory, enter(current, std::string(parts[i])));
    current = directory.get();
  }
  return replace_file(current, std::string(parts.back()), *file.content);
}

Err unusable(const std::string& directory, std::string_view why) {
  return Err(Error(ErrorCode::InvalidRequest,
                   fmt::format("cannot use --out {}: {}", quoted(directory), why)));
}

}  // namespace

Result<> check_output_directory(const std::string& directory) {
  if (directory.empty()) return unusable(directory, "a directory's name is needed");
  const auto cause = [](int problem) { return std::system_category().message(problem); };
  for (std::filesystem::path path = directory;;) {
    struct stat facts{};
    if (::stat(path.c_str(), &facts) == 0) {
      if (!S_ISDIR(facts.st_mode)) {
        return unusable(directory, quoted(path.string()) + " is not a directory");
      }
      if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
      return unusable(directory, fmt::format("no right to write to {}: {}", quoted(path.string()),
                                             cause(errno)));
    }
    if (errno != ENOENT) return unusable(directory, cause(errno));
    if (::lstat(path.c_str(), &facts) == 0) {
      return unusable(directory, quoted(path.string()) + " is a link that leads nowhere");
    }
    // Up to what is there: the rest will be made.
    if (path.has_filename()) {
      path = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    } else {
      path = path.parent_path();  // "a/b/" is a/b
    }
  }
}

Result<WrittenFiles> write_output_files(const std::string& directory,
                                        const std::vector<OutputFile>& files) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  const UniqueFd root(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    const int failed = errno;
    // Why it could not be made says more than that it is not there.
    return unusable(directory,
                    problem ? problem.message() : std::system_category().message(failed));
  }
  WrittenFiles written;
  for (const OutputFile& file : files) {
    if (const auto done = write_one(root.get(), file); !done) {
      written.problems.push_back(file.name + ": " + done.error().message());
    } else {
      ++written.count;
      if (file.truncated) {
        written.problems.push_back(fmt::format("{}: only the first {} of {} bytes were kept",
                                               file.name, file.content.value_or("").size(),
                                               file.size.value));
      }
    }
  }
  return written;
}

}  // namespace cove
