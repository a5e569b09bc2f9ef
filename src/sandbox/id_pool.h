#pragma once
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace cove::sandbox {

// Outer user ids for guests, so that none is 0 and, as root, no two live guests share one. The
// range follows from the process id, so that Cove processes on one host do not meet. An ordinary
// user has only their own id, and every guest gets that.
class IdPool {
 public:
  static IdPool for_this_process();

  // `count` consecutive ids; the first is returned. Give them back with release().
  Result<std::uint32_t> take(std::uint32_t count = 1);
  void release(std::uint32_t first, std::uint32_t count = 1);

  bool can_change_ids() const { return can_change_ids_; }
  std::uint32_t own_uid() const { return own_uid_; }
  std::uint32_t own_gid() const { return own_gid_; }

 private:
  struct State;
  bool can_change_ids_ = false;
  std::uint32_t own_uid_ = 0;
  std::uint32_t own_gid_ = 0;
  std::shared_ptr<State> state_;
};

}  // namespace cove::sandbox
