#include "executor/file_collector.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "base/unique_fd.h"
#include "executor/open_entry.h"
#include "model/mime_type.h"

namespace cove {

namespace {

constexpr std::size_t kMaxSkipped = 100;
constexpr std::size_t kMaxEntries = 100'000;  // looked at in all; a walk must end
constexpr std::size_t kMaxPath = 4096;

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "symbolic link";
  if (S_ISFIFO(mode)) return "named pipe";
  if (S_ISSOCK(mode)) return "socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "device";
  return "not a regular file";
}

// "./a//b" and "a/b" are the same file.
std::string normal_name(std::string_view name) {
  std::string normal;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, slash);
    if (!part.empty() && part != ".") {
      if (!normal.empty()) normal += '/';
      normal += part;
    }
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return normal;
}

class Walk {
 public:
  Walk(const CollectOptions& options, ExecutionResult& into) : options_(options), into_(into) {
    for (const ExecFile& file : options.request_files) baseline_[normal_name(file.name)] = &file;
  }

  void directory(UniqueFd fd, const std::string& prefix, int depth);

 private:
  bool out_of_time() {
    if (std::chrono::steady_clock::now() < options_.deadline) return false;
    into_.output_files_incomplete = true;
    return true;
  }

  void skip(const std::string& name, std::string reason) {
    if (into_.skipped_files.size() < kMaxSkipped) {
      into_.skipped_files.push_back({escape_file_name(name), std::move(reason)});
    } else {
      into_.output_files_incomplete = true;
    }
  }

  std::vector<std::string> entries(int fd);
  void entry(int dirfd, const std::string& base, const std::string& path, int depth);
  void regular_file(int dirfd, const std::string& base, const std::string& path);
  bool unchanged(int fd, const struct stat& st, const ExecFile& original);
  std::string read_up_to(int fd, std::uint64_t limit);

  const CollectOptions& options_;
  ExecutionResult& into_;
  std::map<std::string, const ExecFile*> baseline_;
  std::uint64_t content_total_ = 0;
  std::size_t seen_ = 0;
};

std::vector<std::string> Walk::entries(int fd) {
  std::vector<std::string> names;
  // The stream takes a descriptor of its own; the walk keeps using `fd`.
  const int copy = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), ::closedir);
  if (!stream) {
    ::close(copy);
    return names;
  }
  // The stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++seen_ > kMaxEntries || out_of_time()) {
      into_.output_files_incomplete = true;
      break;
    }
    names.emplace_back(name);
  }
  std::ranges::sort(names);  // the same files give the same result
  return names;
}

void Walk::directory(UniqueFd fd, const std::string& prefix, int depth) {
  for (const std::string& base : entries(fd.get())) {
    if (out_of_time()) return;
    std::string path = prefix;
    if (!path.empty()) path += '/';
    path += base;
    entry(fd.get(), base, path, depth);
    if (into_.output_files.size() >= options_.max_files && into_.output_files_incomplete) return;
  }
}

void Walk::entry(int dirfd, const std::string& base, const std::string& path, int depth) {
  if (path.size() > kMaxPath) {
    into_.output_files_incomplete = true;
    skip(path.substr(0, 255), "path too long");
    return;
  }
  struct stat st{};
  if (::fstatat(dirfd, base.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
    skip(path, fmt::format("cannot be examined: {}", std::system_category().message(errno)));
    return;
  }
  if (S_ISREG(st.st_mode)) {
    regular_file(dirfd, base, path);
    return;
  }
  if (!S_ISDIR(st.st_mode)) {
    skip(path, kind_of(st.st_mode));
    return;
  }
  if (depth >= options_.max_depth) {
    into_.output_files_incomplete = true;
    skip(path, "directory too deep");
    return;
  }
  UniqueFd child = open_unsealed(dirfd, base.c_str(), O_RDONLY | O_DIRECTORY, S_IRWXU);
  // Readable but not searchable: its names could be listed and nothing more.
  if (child && ::faccessat(child.get(), ".", X_OK, AT_EACCESS) != 0) {
    restore_permission(dirfd, base.c_str(), S_IRWXU);
    child = open_entry(dirfd, base.c_str(), O_RDONLY | O_DIRECTORY);
  }
  if (!child) {
    skip(path, "directory cannot be opened, or is another file system");
    return;
  }
  directory(std::move(child), path, depth + 1);
}

void Walk::regular_file(int dirfd, const std::string& base, const std::string& path) {
  const UniqueFd fd = open_unsealed(dirfd, base.c_str(), O_RDONLY, S_IRUSR);
  struct stat st{};
  if (!fd || ::fstat(fd.get(), &st) != 0) {
    skip(path, fmt::format("cannot be opened: {}", std::system_category().message(errno)));
    return;
  }
  if (!S_ISREG(st.st_mode)) {  // swapped since it was looked at
    skip(path, kind_of(st.st_mode));
    return;
  }
  // A second name could be one of the host's files where the directory is shared with the host.
  if (st.st_nlink != 1) {
    skip(path, "hard link");
    return;
  }
  const auto original = baseline_.find(path);
  if (original != baseline_.end() && unchanged(fd.get(), st, *original->second)) return;
  if (into_.output_files.size() >= options_.max_files) {
    into_.output_files_incomplete = true;
    return;
  }

  OutputFile file;
  file.name = escape_file_name(path);
  file.size = Bytes{static_cast<std::uint64_t>(st.st_size)};
  file.mime_type = mime_type_of(file.name);
  if (options_.contents) {
    const std::uint64_t room = options_.max_total.value - content_total_;
    const std::uint64_t limit = std::min({file.size.value, options_.max_file.value, room});
    content_total_ += limit;
    file.content = read_up_to(fd.get(), limit);
    file.truncated = file.content->size() < file.size.value;
    if (file.truncated) into_.output_files_incomplete = true;
  }
  into_.output_files.push_back(std::move(file));
}

bool Walk::unchanged(int fd, const struct stat& st, const ExecFile& original) {
  if (static_cast<std::uint64_t>(st.st_size) != original.content.size()) return false;
  const std::string now = read_up_to(fd, original.content.size());
  if (now != original.content) {
    ::lseek(fd, 0, SEEK_SET);
    return false;
  }
  return true;
}

std::string Walk::read_up_to(int fd, std::uint64_t limit) {
  std::string content;
  std::array<char, 65536> buffer{};
  while (content.size() < limit && !out_of_time()) {
    const std::size_t want = std::min<std::uint64_t>(buffer.size(), limit - content.size());
    const ssize_t got = ::read(fd, buffer.data(), want);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return content;
}

}  // namespace

void collect_files(int dirfd, const CollectOptions& options, ExecutionResult& into) {
  UniqueFd root(::openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root && errno == EACCES) {  // "." needs the right to search, too
    restore_permission(dirfd, S_IRWXU);
    root.reset(::openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  if (!root) {
    into.output_files_incomplete = true;
    return;
  }
  Walk(options, into).directory(std::move(root), "", 0);
}

}  // namespace cove
