#include "toolchain/build_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/random_id.h"
#include "toolchain/build_entry.h"
#include "toolchain/cache_directory.h"

namespace cove {
namespace {

namespace fs = std::filesystem;
using fs::file_time_type;

constexpr std::string_view kTemporary = "tmp-";
constexpr std::string_view kLock = ".lock";
constexpr std::chrono::hours kTemporaryLife{1};
// Each store looks at all entries; and small ones would take inodes before they take room.
constexpr std::size_t kMostEntries = 4000;
constexpr std::uint64_t kBlock = 4096;  // what a directory takes, and the end of a file
// Nobody holds what is prepared while it is in use, but no step may take longer than this.
constexpr std::chrono::hours kPreparedUse{1};

// What a process that crashed left behind.
void sweep_temporaries(const std::string& directory) {
  std::error_code error;
  const auto old = file_time_type::clock::now() - kTemporaryLife;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!it->path().filename().string().starts_with(kTemporary)) continue;
    if (it->last_write_time(ignored) < old) fs::remove_all(it->path(), ignored);
  }
}

struct Aged {
  std::string path;
  file_time_type used;
  std::uint64_t bytes = 0;
};

std::vector<Aged> entries_by_age(const std::string& directory) {
  std::vector<Aged> out;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    Aged entry{it->path().string(), it->last_write_time(ignored), kBlock};
    for (fs::recursive_directory_iterator file(entry.path, ignored), last; !ignored && file != last;
         file.increment(ignored)) {
      std::error_code vanished;
      const auto size = file->is_regular_file(vanished) ? file->file_size(vanished) : 0;
      if (!vanished) entry.bytes += (size + 2 * kBlock - 1) / kBlock * kBlock;
    }
    out.push_back(std::move(entry));
  }
  std::ranges::sort(out, {}, &Aged::used);
  return out;
}

// Out of sight first: nobody finds half an entry.
bool remove_entry(const std::string& path, const std::string& directory) {
  std::error_code error;
  const std::string gone = fmt::format("{}/{}", directory, random_id(kTemporary));
  fs::rename(path, gone, error);
  if (error) return false;
  fs::remove_all(gone, error);
  return true;
}

UniqueFd open_directory(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Result<> make_own_directories(const std::string& directory) {
  COVE_TRY(make_own_directory(directory));
  COVE_TRY(make_own_directory(directory + "/builds"));
  return make_own_directory(directory + "/prepared");
}

// The directory by its name without links, once it is certain that it will stay what it is.
Result<std::string> open_own(const std::string& directory) {
  COVE_TRY(make_own_directory(directory));
  std::error_code error;
  std::string path = fs::canonical(directory, error).string();
  if (error) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("cannot read {}: {}", directory, error.message())));
  }
  COVE_TRY(check_parents(path));
  COVE_TRY(make_own_directories(path));
  return path;
}

// A byte of the lock file that stands for a key: 62 bits of its FNV-1a hash.
off_t lock_offset(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return static_cast<off_t>(hash >> 2U);
}

// To a name that nobody has. A plain rename takes the place of an empty directory, too, and so of
// what somebody is just about to remove; where a file system knows no other, it has to do.
bool rename_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  return (errno == EINVAL || errno == ENOSYS) && ::rename(from.c_str(), to.c_str()) == 0;
}

// Whether the directory that is open is still the one at this path.
bool is_at(int open, const std::string& path) {
  struct stat here = {};
  struct stat there = {};
  return ::fstat(open, &here) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

}  // namespace

Result<std::unique_ptr<BuildCache>> BuildCache::open(const std::string& directory, Bytes bound) {
  std::string problem;
  if (!directory.empty()) {
    auto usable = open_own(directory);
    if (usable) {
      sweep_temporaries(*usable);
      return std::unique_ptr<BuildCache>(new BuildCache(*usable, false, bound));
    }
    problem = usable.error().message();
  }
  std::error_code error;
  std::string own = (fs::temp_directory_path(error) / "cove-builds-XXXXXX").string();
  if (error || ::mkdtemp(own.data()) == nullptr) {
    return Err(Error::from_errno("cannot make a directory for builds"));
  }
  (void)::chmod(own.c_str(), 0711);
  std::unique_ptr<BuildCache> cache(new BuildCache(own, true, bound));
  cache->problem_ = std::move(problem);
  COVE_TRY(make_own_directories(own));
  return cache;
}

BuildCache::~BuildCache() {
  std::error_code ignored;
  if (private_) fs::remove_all(directory_, ignored);
}

Result<std::string> BuildCache::make_temporary() const {
  std::string path = fmt::format("{}/{}", directory_, random_id(kTemporary));
  if (::mkdir(path.c_str(), 0755) != 0) return Err(Error::from_errno("cannot make " + path));
  return path;
}

std::string BuildCache::files_of(const std::string& directory, const std::string& key) {
  return fmt::format("{}/builds/{}/{}", directory, key, kBuildFiles);
}

std::string BuildCache::prepared_at(const std::string& directory, const std::string& key) {
  return fmt::format("{}/prepared/{}", directory, key);
}

std::optional<Build> BuildCache::find(const std::string& key) {
  const std::string path = fmt::format("{}/builds/{}", directory_, key);
  UniqueFd held = open_directory(path);
  // Held from here on: whoever evicts must lock it alone. One that went before is not held.
  if (!held || ::flock(held.get(), LOCK_SH | LOCK_NB) != 0 || !is_at(held.get(), path)) {
    return std::nullopt;
  }
  auto entry = read_build_entry(held.get());
  if (!entry) return std::nullopt;
  (void)::futimens(held.get(), nullptr);  // used now
  return Build{files_of(directory_, key), std::move(entry->diagnostics),
               std::move(entry->compiler_output), entry->failed, std::move(held)};
}

Result<Build> BuildCache::store(const std::string& key, const BuildOutput& output) {
  const std::string path = fmt::format("{}/builds/{}", directory_, key);
  COVE_ASSIGN(const std::string temporary, make_temporary());
  std::error_code ignored;
  if (auto written = write_build_entry(temporary, output); !written) {
    fs::remove_all(temporary, ignored);
    return Err(std::move(written).error());
  }
  // Some tries: an entry may be in the way that is broken, or that is being removed.
  for (int tries = 0; tries < 5; ++tries) {
    if (rename_to_free(temporary, path)) break;
    if (auto first = find(key)) {
      fs::remove_all(temporary, ignored);
      return std::move(*first);
    }
    if (!remove_unheld(path, true)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  auto build = find(key);
  fs::remove_all(temporary, ignored);
  if (!build) {
    remove_unheld(path, true);  // it would not be counted, and not be found
    return Err(Error(ErrorCode::Internal, fmt::format("cannot keep a build in {}", path)));
  }
  evict();
  return std::move(*build);
}

// Whoever removes an entry has it locked alone and sees that it is still at its place. So it stays
// there until this is done: nothing is moved onto an entry, and nobody else may take it away.
bool BuildCache::remove_unheld(const std::string& path, bool only_broken) {
  const UniqueFd held = open_directory(path);
  if (!held || ::flock(held.get(), LOCK_EX | LOCK_NB) != 0 || !is_at(held.get(), path)) {
    return false;
  }
  if (only_broken && read_build_entry(held.get())) return false;
  return remove_entry(path, directory_);
}

void BuildCache::evict() {
  std::vector<Aged> entries = entries_by_age(directory_ + "/builds");
  std::uint64_t total = 0;
  for (const Aged& entry : entries) total += entry.bytes;
  std::size_t count = entries.size();
  if (total <= bound_.value && count <= kMostEntries) return;
  for (const Aged& entry : entries) {
    if (total <= bound_.value / 10 * 8 && count <= kMostEntries / 10 * 8) return;
    if (!remove_unheld(entry.path, false)) continue;  // a run holds it
    total -= entry.bytes;
    --count;
  }
}

// A new package of a compiler leaves what was prepared for the old one.
void BuildCache::evict_prepared() {
  std::vector<Aged> entries = entries_by_age(directory_ + "/prepared");
  std::uint64_t total = 0;
  for (const Aged& entry : entries) total += entry.bytes;
  const auto unused = file_time_type::clock::now() - kPreparedUse;
  for (const Aged& entry : entries) {
    if (total <= bound_.value || entry.used > unused) return;
    if (entry.path.ends_with(kLock)) continue;
    if (remove_entry(entry.path, directory_)) total -= entry.bytes;
  }
}

std::optional<BuildCache::Lock> BuildCache::lock_build(
    const std::string& key, const std::stop_token& cancel,
    const std::optional<std::chrono::steady_clock::time_point>& until) const {
  const std::string path = directory_ + "/building.lock";
  Lock lock;
  lock.file.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.file) return lock;
  // One byte of one file a key: no file is left for each build. The lock belongs to what was
  // opened here, so that threads are told apart, too.
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = lock_offset(key);
  range.l_len = 1;
  while (::fcntl(lock.file.get(), F_OFD_SETLK, &range) != 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) return lock;
    if (cancel.stop_requested() || (until && std::chrono::steady_clock::now() >= *until)) {
      return std::nullopt;
    }
    lock.waited = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return lock;
}

bool BuildCache::is_prepared(const std::string& key) const {
  return static_cast<bool>(open_directory(prepared_at(directory_, key)));
}

Result<std::string> BuildCache::prepare(const std::string& key,
                                        const std::function<Result<>(const std::string&)>& make,
                                        const std::stop_token& cancel) {
  std::string path = prepared_at(directory_, key);
  if (const UniqueFd there = open_directory(path)) {
    (void)::futimens(there.get(), nullptr);  // used now
    return path;
  }
  const std::string lock_path = path + std::string(kLock);
  const UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) return Err(Error::from_errno("cannot make " + lock_path));
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (cancel.stop_requested()) {
      return Err(
          Error(ErrorCode::ExecutionFailed, "cancelled while a compiler was being prepared"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (open_directory(path)) return path;
  COVE_ASSIGN(const std::string temporary, make_temporary());
  std::error_code ignored;
  auto made = make(temporary);
  if (made) made = take_over(temporary);
  if (made && ::rename(temporary.c_str(), path.c_str()) != 0) {
    made = Err(Error::from_errno("cannot keep " + path));
  }
  if (!made) {
    fs::remove_all(temporary, ignored);
    return Err(std::move(made).error());
  }
  evict_prepared();
  return path;
}

}  // namespace cove
