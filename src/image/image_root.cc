#include "image/image_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>

#include <fmt/format.h>

#include "base/strings.h"
#include "image/beneath.h"
#include "image/layer_merge.h"
#include "model/env_guard.h"

namespace cove {
namespace {

// Each is a mount, and a mount costs every run.
constexpr std::size_t kMostRootEntries = 64;

constexpr std::array<std::string_view, 8> kSetBySandbox = {"HOME", "TMPDIR", "USER",  "LOGNAME",
                                                           "PWD",  "OLDPWD", "SHLVL", "HOSTNAME"};

bool is_empty(int parent, const std::string& name) {
  UniqueFd directory = open_directory_entry(parent, name);
  if (!directory) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(directory.get()), ::closedir);
  if (!stream) return false;
  directory.release();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view found = entry->d_name;
    if (found != "." && found != "..") return false;
  }
  return true;
}

Result<> add_entry(int root, const std::string& name, ImageRoot& image) {
  struct stat facts{};
  if (::fstatat(root, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return Err(Error::from_errno("reading the image's " + quoted(name)));
  }
  if (S_ISLNK(facts.st_mode)) {
    std::array<char, PATH_MAX> target{};
    const ssize_t n = ::readlinkat(root, name.c_str(), target.data(), target.size() - 1);
    if (n <= 0) return Err(Error::from_errno("reading the image's " + quoted(name)));
    image.links.emplace_back(name, std::string(target.data(), static_cast<std::size_t>(n)));
  } else if (S_ISDIR(facts.st_mode) && is_empty(root, name)) {
    image.empty.push_back(name);
  } else {
    image.trees.push_back(name);
  }
  return {};
}

}  // namespace

Result<> list_root_entries(int root, ImageRoot& image) {
  UniqueFd again = open_directory_entry(root, ".");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(again ? ::fdopendir(again.get()) : nullptr,
                                                   ::closedir);
  if (!stream) return Err(Error::from_errno("reading the image's root"));
  again.release();
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || is_reserved_root_entry(name)) continue;
    if (names.size() == kMostRootEntries) {
      return Err(Error(ErrorCode::InvalidRequest,
                       fmt::format("the image has more than {} entries in /", kMostRootEntries)));
    }
    names.push_back(name);
  }
  std::ranges::sort(names);
  for (const std::string& name : names) COVE_TRY(add_entry(root, name, image));
  return {};
}

std::vector<std::string> adopt_env(const std::vector<std::string>& env, ImageRoot& image) {
  std::vector<std::string> left_out;
  for (const std::string& text : env) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (name == "PATH") {
      image.command_path.clear();
      for (const std::string_view part : split(value, ':')) {
        if (part.starts_with('/')) image.command_path.emplace_back(part);
      }
      continue;
    }
    const std::array<std::pair<std::string, std::string>, 1> variable = {{{name, value}}};
    if (std::ranges::find(kSetBySandbox, name) != kSetBySandbox.end() || !validate_env(variable)) {
      left_out.push_back(name);
      continue;
    }
    std::erase_if(image.env, [&](const auto& known) { return known.first == name; });
    image.env.emplace_back(name, value);
  }
  if (image.command_path.empty()) image.command_path = {"/usr/local/bin", "/usr/bin", "/bin"};
  return left_out;
}

Result<> ImageRoot::check_mount_point(const std::string& mount_point) const {
  const auto refused = [&](std::string_view problem) {
    return Err(Error(
        ErrorCode::UnsupportedPolicy,
        fmt::format("policy path {} cannot be shown in image {}: {}", mount_point, name, problem)));
  };
  const auto parts = split(std::string_view(mount_point).substr(1), '/');
  const std::string first(parts.front());
  if (is_reserved_root_entry(first)) return {};  // the sandbox's own directories, as without image
  for (const auto& [link, target] : links) {
    if (link == first) return refused(fmt::format("/{} is a link there", link));
  }
  if (std::ranges::find(trees, first) == trees.end()) return {};
  // Inside a mounted tree nothing can be made, so it must be there, without a link on the way.
  UniqueFd at(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    at = UniqueFd(::openat(at.get(), std::string(part).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!at) {
      return refused(
          fmt::format("the image has a /{} without it; choose a path below a directory "
                      "that the image does not have",
                      first));
    }
    struct stat facts{};
    if (::fstat(at.get(), &facts) != 0 || S_ISLNK(facts.st_mode)) {
      return refused(fmt::format("{} is a link there", part));
    }
  }
  struct stat inside{};
  struct stat outside{};
  if (::fstat(at.get(), &inside) != 0 || ::stat(mount_point.c_str(), &outside) != 0 ||
      S_ISDIR(inside.st_mode) != S_ISDIR(outside.st_mode)) {
    return refused("one is a directory and the other is not");
  }
  return {};
}

}  // namespace cove
