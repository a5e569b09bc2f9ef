// How many connections there are, and which.
#include <malloc.h>

#include <algorithm>

#include "api/http_connection.h"

namespace cove {

namespace {

constexpr std::size_t kCrowd = 128;

}  // namespace

void OpenConnections::add(const std::shared_ptr<HttpConnection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    open_.emplace_back(connection);
    if (open_.size() < sweep_at_) return;
  }
  forget_ended();
}

void OpenConnections::forget_ended() {
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [](const auto& weak) { return weak.expired(); });
  sweep_at_ = std::max<std::size_t>(64, open_.size() * 2);
}

std::vector<std::shared_ptr<HttpConnection>> OpenConnections::all() const {
  std::vector<std::shared_ptr<HttpConnection>> out;
  const std::lock_guard lock(mutex_);
  for (const auto& weak : open_) {
    if (auto connection = weak.lock()) out.push_back(std::move(connection));
  }
  return out;
}

CountedConnection::CountedConnection(HttpServerState& state) : state_(state) {
  const std::size_t now = ++state_.connections;
  std::size_t most = state_.crowd;
  while (now > most && !state_.crowd.compare_exchange_weak(most, now)) {
  }
}

// The allocator keeps what connections used for others to come. After thousands have gone nobody
// may come for days: when three quarters of a crowd have left, their pages go back to the kernel.
CountedConnection::~CountedConnection() {
  const std::size_t left = --state_.connections;
  std::size_t crowd = state_.crowd;
  if (crowd < kCrowd || left > crowd / 4) return;
  if (!state_.crowd.compare_exchange_strong(crowd, left)) return;
  state_.open.forget_ended();  // each entry keeps the memory of its connection
  ::malloc_trim(0);
}

}  // namespace cove
