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

}  // namespace

Result<std::unique_ptr<BuildCache>> BuildCache::open(const std::string& directory, Bytes bound) {
  std::string problem;
  if (!directory.empty()) {
    auto usable = make_own_directories(directory);
    if (usable) {
      sweep_temporaries(directory);
      return std::unique_ptr<BuildCache>(new BuildCache(directory, false, bound));
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

std::optional<Build> BuildCache::find(const std::string& key) {
  const std::string path = fmt::format("{}/builds/{}", directory_, key);
  UniqueFd held = open_directory(path);
  // Held from here on: whoever evicts must lock it alone.
  if (!held || ::flock(held.get(), LOCK_SH | LOCK_NB) != 0) return std::nullopt;
  auto entry = read_build_entry(held.get());
  if (!entry) return std::nullopt;
  (void)::futimens(held.get(), nullptr);  // used now
  return Build{path + "/" + std::string(kBuildFiles), std::move(entry->diagnostics),
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
  // Three tries: an entry may be in the way that is broken, or that is being removed.
  for (int tries = 0; tries < 3; ++tries) {
    if (::rename(temporary.c_str(), path.c_str()) == 0) break;
    if (auto first = find(key)) {
      fs::remove_all(temporary, ignored);
      return std::move(*first);
    }
    const UniqueFd broken = open_directory(path);
    if (broken && ::flock(broken.get(), LOCK_EX) == 0) fs::remove_all(path, ignored);
  }
  auto build = find(key);
  fs::remove_all(temporary, ignored);
  if (!build) {
    remove_entry(path, directory_);  // it would not be counted, and not be found
    return Err(Error(ErrorCode::Internal, fmt::format("cannot keep a build in {}", path)));
  }
  evict();
  return std::move(*build);
}

void BuildCache::evict() {
  std::vector<Aged> entries = entries_by_age(directory_ + "/builds");
  std::uint64_t total = 0;
  for (const Aged& entry : entries) total += entry.bytes;
  std::size_t count = entries.size();
  if (total <= bound_.value && count <= kMostEntries) return;
  for (const Aged& entry : entries) {
    if (total <= bound_.value / 10 * 8 && count <= kMostEntries / 10 * 8) return;
    const UniqueFd held = open_directory(entry.path);
    if (!held || ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) continue;  // a run holds it
    if (!remove_entry(entry.path, directory_)) continue;
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

Result<std::string> BuildCache::prepare(const std::string& key,
                                        const std::function<Result<>(const std::string&)>& make,
                                        const std::stop_token& cancel) {
  std::string path = fmt::format("{}/prepared/{}", directory_, key);
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
