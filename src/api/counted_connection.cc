#include <malloc.h>

#include "api/http_connection.h"

namespace cove {

namespace {

constexpr std::size_t kCrowd = 256;

}  // namespace

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
  if (state_.crowd.compare_exchange_strong(crowd, left)) ::malloc_trim(0);
}

}  // namespace cove
