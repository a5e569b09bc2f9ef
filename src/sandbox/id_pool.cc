#include "sandbox/id_pool.h"

#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <fstream>
#include <mutex>

namespace cove::sandbox {
namespace {

constexpr std::uint32_t kIdsPerProcess = 512;
// 2^30 + pid * 512 stays below 2^32 for every pid that Linux gives out (at most 2^22).
constexpr std::uint64_t kBase = 1ULL << 30U;

// The first id of this process's range, within what this user namespace has.
std::uint32_t first_id() {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  const std::uint64_t wanted = kBase + pid * kIdsPerProcess;
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t length = 0;
  std::uint64_t largest_start = 0;
  std::uint64_t largest_length = 0;
  while (map >> inside >> outside >> length) {
    if (wanted >= inside && wanted + kIdsPerProcess <= inside + length) {
      return static_cast<std::uint32_t>(wanted);
    }
    if (length > largest_length) {
      largest_start = inside;
      largest_length = length;
    }
  }
  // A container with few ids: a slot from the upper half of the largest range.
  const std::uint64_t slots = std::max<std::uint64_t>(1, largest_length / kIdsPerProcess / 2);
  const std::uint64_t offset = largest_length / 2 + pid % slots * kIdsPerProcess;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, largest_start + offset));
}

}  // namespace

struct IdPool::State {
  std::mutex mutex;
  std::uint32_t first = 0;
  std::bitset<kIdsPerProcess> used;
};

IdPool IdPool::for_this_process() {
  IdPool pool;
  pool.own_uid_ = ::geteuid();
  pool.own_gid_ = ::getegid();
  pool.can_change_ids_ = pool.own_uid_ == 0;
  pool.state_ = std::make_shared<State>();
  pool.state_->first = first_id();
  return pool;
}

Result<std::uint32_t> IdPool::take(std::uint32_t count) {
  if (!can_change_ids_) return own_uid_;
  const std::lock_guard lock(state_->mutex);
  for (std::uint32_t at = 0; at + count <= kIdsPerProcess; ++at) {
    std::uint32_t free = 0;
    while (free < count && !state_->used[at + free]) ++free;
    if (free == count) {
      for (std::uint32_t i = 0; i < count; ++i) state_->used[at + i] = true;
      return state_->first + at;
    }
    at += free;
  }
  return Err(Error(ErrorCode::BackendUnavailable,
                   "no user id is free for another guest: too many run at once"));
}

void IdPool::release(std::uint32_t first, std::uint32_t count) {
  if (!can_change_ids_) return;
  const std::lock_guard lock(state_->mutex);
  for (std::uint32_t i = 0; i < count; ++i) state_->used[first - state_->first + i] = false;
}

}  // namespace cove::sandbox
