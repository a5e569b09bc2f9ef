#include "engine/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "base/unique_fd.h"
#include "engine/private_file.h"

namespace cove {
namespace {

constexpr std::string_view kHalfWritten = ".part";

// Ids come from random_id(), but a path is not the place to take that on trust.
bool is_plain(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// What a file takes of the room: an empty one is not free, or a million of them would fit.
std::uint64_t charge(std::uint64_t size) {
  constexpr std::uint64_t kBlock = 4096;
  return (size / kBlock + 1) * kBlock;
}

Error not_kept(std::string_view id) {
  return {ErrorCode::Gone, fmt::format("this output file of {} is not kept any more: files are "
                                       "kept for a limited time and total size",
                                       quoted(id))};
}

}  // namespace

Result<std::unique_ptr<KeptFiles>> KeptFiles::open(KeptFilesOptions options,
                                                   Clock::time_point now) {
  std::unique_ptr<KeptFiles> files(new KeptFiles(std::move(options)));
  if (!files->options_.directory.empty()) {
    COVE_TRY(make_private_directory(files->options_.directory));
    COVE_TRY(files->take_over(now));
  }
  return files;
}

Result<> KeptFiles::take_over(Clock::time_point now) {
  std::error_code failed;
  std::vector<Item> found;
  for (auto entry = std::filesystem::directory_iterator(options_.directory, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename();
    struct stat about{};
    if (::lstat(entry->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (name.ends_with(kHalfWritten)) {
      ::unlink(entry->path().c_str());
      continue;
    }
    found.push_back({name, Clock::from_time_t(about.st_mtim.tv_sec),
                     static_cast<std::uint64_t>(about.st_size)});
  }
  if (failed) {
    return Err(Error(ErrorCode::Internal,
                     fmt::format("reading {}: {}", options_.directory, failed.message())));
  }
  std::ranges::sort(found, std::less<>(), &Item::since);
  for (auto& item : found) {
    used_ += charge(item.size);
    items_.push_back(std::move(item));
  }
  expire_locked(now, 0);
  return {};
}

Result<> KeptFiles::store(const std::string& name, std::string_view content) {
  if (options_.directory.empty()) {
    const std::lock_guard lock(mutex_);
    memory_[name] = content;
    return {};
  }
  // No sync: what a power cut leaves is at worst a file that is shorter, and reading notices.
  const std::string path = path_of(name);
  const std::string part = path + std::string(kHalfWritten);
  const UniqueFd file(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return Err(Error::from_errno("creating " + part));
  auto written = write_all(file.get(), content, part);
  if (written && ::rename(part.c_str(), path.c_str()) != 0) {
    written = Err(Error::from_errno("renaming to " + path));
  }
  if (!written) ::unlink(part.c_str());
  return written;
}

Result<> KeptFiles::keep(std::string_view id, std::size_t number, std::string_view content,
                         Clock::time_point now) {
  if (!is_plain(id)) return Err(Error(ErrorCode::Internal, "not an id: " + quoted(id)));
  Item item{fmt::format("{}.{}", id, number), now, content.size()};
  const std::uint64_t cost = charge(item.size);
  if (cost > options_.bytes.value) {
    return Err(Error(ErrorCode::TooLarge,
                     fmt::format("{} bytes are more than are kept in all", item.size)));
  }
  {
    const std::lock_guard lock(mutex_);
    expire_locked(now, cost);
    used_ += cost;  // taken now, so that writing needs no lock
  }
  auto stored = store(item.name, content);
  const std::lock_guard lock(mutex_);
  if (stored) {
    items_.push_back(std::move(item));
  } else {
    used_ -= cost;
  }
  return stored;
}

Result<std::string> KeptFiles::read(std::string_view id, std::size_t number,
                                    Clock::time_point now) {
  const std::string name = fmt::format("{}.{}", id, number);
  const std::lock_guard lock(mutex_);
  expire_locked(now, 0);
  const auto item = std::ranges::find(items_, name, &Item::name);
  if (item == items_.end()) return Err(not_kept(id));
  if (options_.directory.empty()) return memory_.at(name);
  COVE_ASSIGN(auto content, read_private_file(path_of(name), options_.bytes));
  if (!content || content->size() != item->size) return Err(not_kept(id));
  return std::move(*content);
}

void KeptFiles::expire(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  expire_locked(now, 0);
}

void KeptFiles::expire_locked(Clock::time_point now, std::uint64_t room) {
  while (!items_.empty() &&
         (now - items_.front().since >= options_.age || used_ + room > options_.bytes.value)) {
    remove_locked(items_.front());
    items_.pop_front();
  }
}

void KeptFiles::remove_locked(const Item& item) {
  used_ -= charge(item.size);
  if (options_.directory.empty()) {
    memory_.erase(item.name);
  } else {
    ::unlink(path_of(item.name).c_str());
  }
}

Bytes KeptFiles::used() const {
  const std::lock_guard lock(mutex_);
  return Bytes{used_};
}

}  // namespace cove
