#include "image/layer_unpacker.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string>

#include <fmt/format.h>

#include "base/strings.h"
#include "image/beneath.h"
#include "image/member_path.h"
#include "image/tar_reader.h"

namespace cove {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";
// What is charged for a member besides its content: a directory or a link is not free either.
constexpr std::uint64_t kMemberCost = 512;

class Unpacker {
 public:
  Unpacker(TarReader& tar, int root, UnpackBudget& budget)
      : tar_(tar), root_(root), budget_(budget) {}

  Result<> add(const TarMember& member);
  LayerNotes notes;

 private:
  Result<> spend(const TarMember& member);
  Result<bool> note_whiteout(const std::string& path);
  Result<UniqueFd> parent_directory(const std::string& path);
  Result<UniqueFd> make_directories(const std::string& path);
  Result<> make_room(int parent, const std::string& path);
  Result<> add_directory(int parent, const std::string& path, const TarMember& member);
  Result<> add_file(int parent, const std::string& path, const TarMember& member);
  Result<> add_symlink(int parent, const std::string& path, const TarMember& member);
  Result<> add_hard_link(int parent, const std::string& path, const TarMember& member);
  static Err refused(const std::string& path, std::string_view problem);
  static Err failed(const std::string& path, std::string_view doing);

  TarReader& tar_;
  int root_;
  UnpackBudget& budget_;
};

Err Unpacker::refused(const std::string& path, std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest, fmt::format("member {}: {}", quoted(path), problem)));
}

Err Unpacker::failed(const std::string& path, std::string_view doing) {
  return Err(Error::from_errno(fmt::format("{} {}", doing, quoted(path))));
}

Result<> Unpacker::spend(const TarMember& member) {
  const std::uint64_t cost = member.size + kMemberCost;
  if (budget_.members == 0 || budget_.bytes < cost) {
    return Err(Error(ErrorCode::TooLarge,
                     fmt::format("the image has {} than is allowed (most_bytes, most_files)",
                                 budget_.members == 0 ? "more files" : "more bytes")));
  }
  --budget_.members;
  budget_.bytes -= cost;
  ++notes.members;
  notes.bytes += member.size;
  return {};
}

Result<bool> Unpacker::note_whiteout(const std::string& path) {
  const std::string_view base = base_of(path);
  if (!base.starts_with(kWhiteout)) return false;
  const std::string parent(parent_of(path));
  if (base == kOpaque) {
    notes.opaque.insert(parent);
    return true;
  }
  const std::string_view hidden = base.substr(kWhiteout.size());
  if (hidden.starts_with(kWhiteout)) return true;  // bookkeeping of aufs
  if (hidden.empty() || hidden == "." || hidden == "..") {
    return refused(path, "a whiteout must name what it hides");
  }
  notes.whiteouts.insert(parent.empty() ? std::string(hidden)
                                        : fmt::format("{}/{}", parent, hidden));
  return true;
}

// Members may come without the directories above them.
Result<UniqueFd> Unpacker::make_directories(const std::string& path) {
  UniqueFd found = open_directory_in_root(root_, path);
  if (found) return found;
  if (errno != ENOENT || path.empty()) return failed(path, "opening the directory");
  COVE_ASSIGN(const UniqueFd above, make_directories(std::string(parent_of(path))));
  const std::string name(base_of(path));
  if (::mkdirat(above.get(), name.c_str(), 0755) != 0) {
    return failed(path, "making the directory");  // EEXIST: a link that leads nowhere
  }
  notes.implied.insert(path);
  found = open_directory_entry(above.get(), name);
  // By hand: the caller's umask must not close it to guests.
  if (!found || ::fchmod(found.get(), 0755) != 0) return failed(path, "making the directory");
  return found;
}

Result<UniqueFd> Unpacker::parent_directory(const std::string& path) {
  return make_directories(std::string(parent_of(path)));
}

// A later member replaces an earlier one. Never by writing to it: it may have other names.
Result<> Unpacker::make_room(int parent, const std::string& path) {
  const std::string name(base_of(path));
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if ((errno == EISDIR || errno == EPERM) && ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) {
    return {};
  }
  if (errno == ENOTEMPTY) return refused(path, "it would replace a directory that has files");
  return failed(path, "replacing");
}

Result<> Unpacker::add_directory(int parent, const std::string& path, const TarMember& member) {
  const std::string name(base_of(path));
  const mode_t mode = (member.mode & 0777U) | 0700U;
  struct stat facts{};
  const bool there = ::fstatat(parent, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && !S_ISDIR(facts.st_mode)) COVE_TRY(make_room(parent, path));
  if ((!there || !S_ISDIR(facts.st_mode)) && ::mkdirat(parent, name.c_str(), 0700) != 0) {
    return failed(path, "making the directory");
  }
  const UniqueFd made = open_directory_entry(parent, name);
  if (!made || ::fchmod(made.get(), mode) != 0) return failed(path, "making the directory");
  notes.implied.erase(path);
  return {};
}

Result<> Unpacker::add_file(int parent, const std::string& path, const TarMember& member) {
  COVE_TRY(make_room(parent, path));
  const std::string name(base_of(path));
  const UniqueFd file(
      ::openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return failed(path, "making the file");
  std::array<char, 65536> chunk{};
  for (;;) {
    COVE_ASSIGN(const std::size_t n, tar_.read(chunk));
    if (n == 0) break;
    for (std::size_t done = 0; done < n;) {
      const ssize_t written = ::write(file.get(), chunk.data() + done, n - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed(path, "writing");
      done += static_cast<std::size_t>(written);
    }
  }
  // Python believes a .pyc by the time of its source, so times are kept.
  const std::array<timespec, 2> times = {timespec{member.mtime, 0}, timespec{member.mtime, 0}};
  if (::fchmod(file.get(), (member.mode & 0777U) | 0400U) != 0 ||
      ::futimens(file.get(), times.data()) != 0) {
    return failed(path, "setting the mode and time of");
  }
  if ((member.mode & 06000U) != 0) ++notes.stripped;
  return {};
}

Result<> Unpacker::add_symlink(int parent, const std::string& path, const TarMember& member) {
  if (member.link.empty()) return refused(path, "a symbolic link must lead somewhere");
  COVE_TRY(make_room(parent, path));
  // Where it leads is of no concern: whoever walks this tree does so as if it were the root.
  const std::string name(base_of(path));
  if (::symlinkat(member.link.c_str(), parent, name.c_str()) != 0) {
    return failed(path, "making the link");
  }
  return {};
}

Result<> Unpacker::add_hard_link(int parent, const std::string& path, const TarMember& member) {
  COVE_ASSIGN(const std::string target, clean_member_path(member.link));
  if (target.empty() || target == path) return refused(path, "a hard link must name another file");
  const UniqueFd target_parent = open_directory_in_root(root_, std::string(parent_of(target)));
  const std::string target_name(base_of(target));
  struct stat facts{};
  if (!target_parent ||
      ::fstatat(target_parent.get(), target_name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return refused(path, fmt::format("a hard link to {}, which is not in this layer before it",
                                     quoted(target)));
  }
  if (!S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode)) {
    return refused(path, "a hard link must lead to a file");
  }
  COVE_TRY(make_room(parent, path));
  const std::string name(base_of(path));
  if (::linkat(target_parent.get(), target_name.c_str(), parent, name.c_str(), 0) != 0) {
    return failed(path, "making the hard link");
  }
  return {};
}

Result<> Unpacker::add(const TarMember& member) {
  COVE_TRY(spend(member));
  COVE_ASSIGN(const std::string path, clean_member_path(member.path));
  if (path.empty()) {
    if (member.kind == TarKind::Directory) return {};  // the root: its mode is ours
    return refused(member.path, "only a directory can be the root");
  }
  COVE_ASSIGN(const bool whiteout, note_whiteout(path));
  if (whiteout) return {};
  if (member.kind == TarKind::Device || member.kind == TarKind::Fifo) {
    ++notes.skipped;
    return {};
  }
  COVE_ASSIGN(const UniqueFd parent, parent_directory(path));
  switch (member.kind) {
    case TarKind::Directory:
      return add_directory(parent.get(), path, member);
    case TarKind::SymLink:
      return add_symlink(parent.get(), path, member);
    case TarKind::HardLink:
      return add_hard_link(parent.get(), path, member);
    default:
      return add_file(parent.get(), path, member);
  }
}

}  // namespace

Result<LayerNotes> unpack_layer(ByteSource& tar, int directory, UnpackBudget& budget) {
  TarReader reader(tar);
  Unpacker unpacker(reader, directory, budget);
  for (;;) {
    COVE_ASSIGN(const auto member, reader.next());
    if (!member) break;
    COVE_TRY(unpacker.add(*member));
  }
  COVE_TRY(drain(tar));  // what follows the end belongs to the digest
  return std::move(unpacker.notes);
}

}  // namespace cove
