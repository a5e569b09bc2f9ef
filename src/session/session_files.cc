#include "session/session_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/strings.h"
#include "executor/file_collector.h"
#include "executor/native/file_access_as.h"
#include "executor/open_entry.h"
#include "model/file_name.h"

namespace cove {
namespace {

Error file_error(std::string_view name) {
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:  // a link: there is no such file of the session
    case EXDEV:
      return {ErrorCode::NotFound, fmt::format("the session has no file {}", quoted(name))};
    case ENOSPC:
    case EDQUOT:
      return {ErrorCode::TooLarge, fmt::format("{} does not fit the disk limit", quoted(name))};
    case EISDIR:
    case EEXIST:
    case ENXIO:
      return {ErrorCode::Conflict, fmt::format("{} is not a regular file", quoted(name))};
    default:
      return Error::from_errno("file " + quoted(name));
  }
}

// The directory that a name ends in, component by component; the last component is left.
Result<UniqueFd> walk_to(const Place& place, std::string_view name, bool make, std::string& last) {
  UniqueFd here(::openat(place.directory(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!here) return Err(file_error(name));
  std::string_view rest = name;
  for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    const std::string part(rest.substr(0, slash));
    if (make && ::mkdirat(here.get(), part.c_str(), 0755) != 0 && errno != EEXIST) {
      return Err(file_error(name));
    }
    UniqueFd below = open_entry(here.get(), part.c_str(), O_RDONLY | O_DIRECTORY);
    if (!below) return Err(file_error(name));
    here = std::move(below);
    rest.remove_prefix(slash + 1);
  }
  last = std::string(rest);
  return here;
}

// A regular file, or an error; what was opened stays what it is, whatever its name becomes.
Result<struct stat> regular(const UniqueFd& file, std::string_view name) {
  struct stat facts = {};
  if (!file || ::fstat(file.get(), &facts) != 0) return Err(file_error(name));
  if (S_ISREG(facts.st_mode)) return facts;
  return Err(Error(ErrorCode::Conflict, fmt::format("{} is not a regular file", quoted(name))));
}

}  // namespace

Result<std::vector<SessionFile>> list_session_files(const Place& place) {
  CollectOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  ExecutionResult found;
  collect_files(place.directory(), options, found);
  std::vector<SessionFile> out;
  out.reserve(found.output_files.size());
  for (auto& file : found.output_files) {
    out.push_back({std::move(file.name), file.size, std::move(file.mime_type)});
  }
  return out;
}

Result<std::string> read_session_file(const Place& place, std::string_view name) {
  COVE_TRY(validate_file_name(name, "name"));
  std::string last;
  COVE_ASSIGN(const auto directory, walk_to(place, name, false, last));
  const UniqueFd file = open_entry(directory.get(), last.c_str(), O_RDONLY);
  COVE_ASSIGN(const auto facts, regular(file, name));
  if (static_cast<std::uint64_t>(facts.st_size) > kMaxSessionFile) {
    return Err(Error(ErrorCode::TooLarge,
                     fmt::format("{} has {} bytes, more than the {} MiB that can be read at once",
                                 quoted(name), facts.st_size, kMaxSessionFile >> 20U)));
  }
  std::string content;
  std::array<char, 65536> buffer{};
  while (content.size() < kMaxSessionFile) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(file_error(name));
    if (n == 0) break;
    content.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return content;
}

Result<> write_session_file(const Place& place, std::string_view name, std::string_view content) {
  COVE_TRY(validate_file_name(name, "name"));
  const FileAccessAs guest(place.uid(), place.gid());
  std::string last;
  COVE_ASSIGN(const auto directory, walk_to(place, name, true, last));
  const UniqueFd file = open_entry(directory.get(), last.c_str(), O_WRONLY | O_CREAT, 0644);
  if (!file && errno == ELOOP) {
    return Err(Error(ErrorCode::Conflict, fmt::format("{} is a link", quoted(name))));
  }
  COVE_TRY(regular(file, name));
  if (::ftruncate(file.get(), 0) != 0) return Err(file_error(name));
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(file_error(name));
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<> remove_session_file(const Place& place, std::string_view name) {
  COVE_TRY(validate_file_name(name, "name"));
  std::string last;
  COVE_ASSIGN(const auto directory, walk_to(place, name, false, last));
  // A link goes, not what it names.
  if (::unlinkat(directory.get(), last.c_str(), 0) != 0) return Err(file_error(name));
  return {};
}

}  // namespace cove
