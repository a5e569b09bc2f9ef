#include "image/layer_merge.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/strings.h"
#include "image/beneath.h"
#include "image/member_path.h"

namespace cove {
namespace {

// The sandbox brings its own, or shows none (/sys).
constexpr std::array<std::string_view, 9> kReserved = {
    "proc", "sys", "dev", "run", "tmp", "workspace", "code", "sessions", ".dockerenv"};

// As the native sandbox has them: every guest is nobody, whatever accounts an image has.
struct OwnSetting {
  const char* name;
  std::string_view text;
};
constexpr std::array<OwnSetting, 4> kSettings = {
    {{"passwd",
      "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
      "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n"},
     {"group", "root:x:0:\nnogroup:x:65534:\n"},
     {"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
     {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"}}};
// Where the sandbox puts the host's, when a policy allows the network.
constexpr const char* kResolverTarget = "/run/cove/resolv.conf";

Error failed(std::string_view doing, const std::string& path) {
  return Error::from_errno(fmt::format("{} {}", doing, quoted(path)));
}

struct Merge {
  int root;
  const LayerNotes& notes;

  Result<> hide_lower() const;
  Result<UniqueFd> directory_for(int target, const std::string& name, const std::string& path,
                                 mode_t mode) const;
  Result<> merge(int source, int target, const std::string& path) const;
  Result<> entry(int source, int target, const std::string& name, const std::string& path) const;
};

Result<> Merge::hide_lower() const {
  for (const std::string& path : notes.opaque) {
    // Itself, not what a link of a lower layer leads to.
    const UniqueFd parent = open_directory_in_root(root, std::string(parent_of(path)));
    const std::string name = path.empty() ? "." : std::string(base_of(path));
    const UniqueFd directory = parent ? open_directory_entry(parent.get(), name) : UniqueFd();
    if (directory) COVE_TRY(remove_entries(directory.get()));
  }
  for (const std::string& path : notes.whiteouts) {
    if (const UniqueFd parent = open_directory_in_root(root, std::string(parent_of(path)))) {
      COVE_TRY(remove_entry(parent.get(), std::string(base_of(path))));
    }
  }
  return {};
}

Result<UniqueFd> Merge::directory_for(int target, const std::string& name, const std::string& path,
                                      mode_t mode) const {
  const bool implied = notes.implied.contains(path);
  UniqueFd there = open_directory_entry(target, name);
  if (!there && (errno == ELOOP || errno == ENOTDIR)) {
    // Some kernels say ENOTDIR for a link, too.
    if (implied) there = open_directory_in_root(root, path);
    if (there) return there;
    COVE_TRY(remove_entry(target, name));
  }
  if (!there) {
    if (::mkdirat(target, name.c_str(), 0700) != 0) return Err(failed("making", path));
    there = open_directory_entry(target, name);
    if (!there || ::fchmod(there.get(), mode) != 0) return Err(failed("making", path));
  } else if (!implied && ::fchmod(there.get(), mode) != 0) {
    return Err(failed("setting the mode of", path));
  }
  return there;
}

Result<> Merge::entry(int source, int target, const std::string& name,
                      const std::string& path) const {
  struct stat facts{};
  if (::fstatat(source, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return Err(failed("reading", path));
  }
  if (S_ISDIR(facts.st_mode)) {
    const UniqueFd below = open_directory_entry(source, name);
    if (!below) return Err(failed("reading", path));
    COVE_ASSIGN(const UniqueFd made, directory_for(target, name, path, facts.st_mode & 0777U));
    return merge(below.get(), made.get(), path);
  }
  COVE_TRY(remove_entry(target, name));
  if (::linkat(source, name.c_str(), target, name.c_str(), 0) != 0) {
    return Err(failed("linking", path));
  }
  return {};
}

Result<> Merge::merge(int source, int target, const std::string& path) const {
  UniqueFd again = open_directory_entry(source, ".");
  if (!again) return Err(failed("reading", path));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return Err(failed("reading", path));
  again.release();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* found = ::readdir(stream.get())) {
    const std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    COVE_TRY(entry(source, target, name, path.empty() ? name : fmt::format("{}/{}", path, name)));
  }
  return {};
}

Result<> write_setting(int etc, const OwnSetting& setting) {
  // Removed first: it is a link to the layer's own file, which others may share.
  COVE_TRY(remove_entry(etc, setting.name));
  const UniqueFd file(::openat(etc, setting.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file || ::fchmod(file.get(), 0644) != 0 ||
      ::write(file.get(), setting.text.data(), setting.text.size()) !=
          static_cast<ssize_t>(setting.text.size())) {
    return Err(failed("writing", setting.name));
  }
  return {};
}

}  // namespace

Result<> merge_layer(int layer, const LayerNotes& notes, int root) {
  const Merge merge{root, notes};
  COVE_TRY(merge.hide_lower());
  return merge.merge(layer, root, "");
}

Result<> prepare_root(int root) {
  for (const std::string_view name : kReserved) COVE_TRY(remove_entry(root, std::string(name)));
  UniqueFd etc = open_directory_entry(root, "etc");
  if (!etc) {
    COVE_TRY(remove_entry(root, "etc"));
    if (::mkdirat(root, "etc", 0755) != 0) return Err(failed("making", "etc"));
    etc = open_directory_entry(root, "etc");
    if (!etc) return Err(failed("opening", "etc"));
  }
  if (::fchmod(etc.get(), 0755) != 0) return Err(failed("setting the mode of", "etc"));
  for (const OwnSetting& setting : kSettings) COVE_TRY(write_setting(etc.get(), setting));
  COVE_TRY(remove_entry(etc.get(), "resolv.conf"));
  if (::symlinkat(kResolverTarget, etc.get(), "resolv.conf") != 0) {
    return Err(failed("making", "etc/resolv.conf"));
  }
  return {};
}

bool is_reserved_root_entry(std::string_view name) {
  return std::ranges::find(kReserved, name) != kReserved.end();
}

}  // namespace cove
