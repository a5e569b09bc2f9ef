#include "image/archive_blobs.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "image/member_path.h"
#include "image/tar_reader.h"

namespace cove {
namespace {

constexpr std::uint64_t kMostFiles = 10'000;
constexpr std::uint64_t kKeptInMemory = 1 << 20;
constexpr std::uint64_t kMostInMemory = 64 << 20;
constexpr std::size_t kMostSpooled = 400;  // descriptors
constexpr int kMostLinks = 8;

Error no_such(const std::string& name) {
  return {ErrorCode::NotFound, fmt::format("the archive has no {}", quoted(name))};
}

struct Spooled {
  std::string bytes;
  UniqueFd file;
};

class SpooledArchive final : public ArchiveBlobs {
 public:
  explicit SpooledArchive(int spool) : spool_(spool) {}

  Result<> add(const TarMember& member, TarReader& tar);
  Result<std::unique_ptr<ByteSource>> open(const std::string& name) override;

 private:
  Result<> keep(const std::string& path, const TarMember& member, TarReader& tar);
  Result<UniqueFd> nameless_file() const;

  int spool_;
  std::uint64_t in_memory_ = 0;
  std::size_t spooled_ = 0;
  std::map<std::string, Spooled> files_;
  std::map<std::string, std::string> links_;  // old versions of docker save repeat layers this way
};

Result<UniqueFd> SpooledArchive::nameless_file() const {
  const std::string name = random_id("blob-");
  UniqueFd file(::openat(spool_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Err(Error::from_errno("making a temporary file in the image store"));
  ::unlinkat(spool_, name.c_str(), 0);
  return file;
}

Result<> SpooledArchive::keep(const std::string& path, const TarMember& member, TarReader& tar) {
  Spooled& entry = files_[path];
  if (member.size <= kKeptInMemory && in_memory_ + member.size <= kMostInMemory) {
    in_memory_ += member.size;
  } else {
    if (++spooled_ > kMostSpooled) {
      return Err(Error(ErrorCode::TooLarge,
                       "the archive has more large files than an image has "
                       "layers"));
    }
    COVE_ASSIGN(entry.file, nameless_file());
  }
  std::array<char, 65536> chunk{};
  for (;;) {
    COVE_ASSIGN(const std::size_t n, tar.read(chunk));
    if (n == 0) return {};
    if (!entry.file) {
      entry.bytes.append(chunk.data(), n);
      continue;
    }
    for (std::size_t done = 0; done < n;) {
      const ssize_t written = ::write(entry.file.get(), chunk.data() + done, n - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Err(Error::from_errno("writing to the image store"));
      done += static_cast<std::size_t>(written);
    }
  }
}

Result<> SpooledArchive::add(const TarMember& member, TarReader& tar) {
  if (member.kind == TarKind::Directory) return {};
  COVE_ASSIGN(const std::string path, clean_member_path(member.path));
  if (files_.contains(path) || links_.contains(path)) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("the archive has two files called {}", quoted(path))));
  }
  if (files_.size() + links_.size() >= kMostFiles) {
    return Err(Error(ErrorCode::TooLarge,
                     fmt::format("the archive has more than {} files: is it a root file system? "
                                 "(--rootfs)",
                                 kMostFiles)));
  }
  if (member.kind == TarKind::File) return keep(path, member, tar);
  if (member.kind != TarKind::SymLink && member.kind != TarKind::HardLink) return {};
  // Within the archive's own names: "../ID/layer.tar" in ID2.
  std::string target(member.kind == TarKind::SymLink ? parent_of(path) : std::string_view());
  for (const std::string_view part : split(member.link, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      target = std::string(parent_of(target));
      continue;
    }
    if (!target.empty()) target += '/';
    target += part;
  }
  links_[path] = std::move(target);
  return {};
}

Result<std::unique_ptr<ByteSource>> SpooledArchive::open(const std::string& name) {
  std::string at = name;
  for (int hops = 0; links_.contains(at); ++hops) {
    if (hops == kMostLinks) return Err(no_such(name));
    at = links_[at];
  }
  const auto found = files_.find(at);
  if (found == files_.end()) return Err(no_such(name));
  const Spooled& entry = found->second;
  if (!entry.file) return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(entry.bytes));
  UniqueFd again(::fcntl(entry.file.get(), F_DUPFD_CLOEXEC, 0));
  if (!again || ::lseek(again.get(), 0, SEEK_SET) != 0) {
    return Err(Error::from_errno("reading from the image store"));
  }
  return std::unique_ptr<ByteSource>(std::make_unique<FdSource>(std::move(again)));
}

class LayoutDirectory final : public ArchiveBlobs {
 public:
  explicit LayoutDirectory(UniqueFd directory) : directory_(std::move(directory)) {}

  Result<std::unique_ptr<ByteSource>> open(const std::string& name) override {
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    UniqueFd file(
        static_cast<int>(::syscall(SYS_openat2, directory_.get(), name.c_str(), &how, sizeof how)));
    if (!file && errno == ENOENT) return Err(no_such(name));
    if (!file) return Err(Error::from_errno("opening " + quoted(name)));
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
      return Err(
          Error(ErrorCode::InvalidRequest, fmt::format("{} is not a regular file", quoted(name))));
    }
    return std::unique_ptr<ByteSource>(std::make_unique<FdSource>(std::move(file)));
  }

 private:
  UniqueFd directory_;
};

}  // namespace

Result<std::unique_ptr<ArchiveBlobs>> read_archive(ByteSource& archive, int spool,
                                                   std::uint64_t most_bytes) {
  COVE_ASSIGN(const auto plain, uncompressed(archive, most_bytes));
  TarReader tar(*plain);
  auto blobs = std::make_unique<SpooledArchive>(spool);
  for (;;) {
    COVE_ASSIGN(const auto member, tar.next());
    if (!member) break;
    COVE_TRY(blobs->add(*member, tar));
  }
  COVE_TRY(drain(*plain));  // a writer at the other end of a pipe should not see it break
  return std::unique_ptr<ArchiveBlobs>(std::move(blobs));
}

Result<std::unique_ptr<ArchiveBlobs>> open_layout(const std::string& directory) {
  UniqueFd fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return Err(Error::from_errno("opening " + quoted(directory)));
  return std::unique_ptr<ArchiveBlobs>(std::make_unique<LayoutDirectory>(std::move(fd)));
}

}  // namespace cove
