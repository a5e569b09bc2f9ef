#pragma once
#include <sys/resource.h>

namespace cove::attack {

// A limit of this process, raised while it lives: what a host allows itself a guest must not
// inherit. Without the right to raise it (an ordinary user), as high as it may be. Guests that wait
// already were started before, so it tells for cold ones.
class RaisedLimit {
 public:
  RaisedLimit(__rlimit_resource_t what, rlim_t value) : what_(what) {
    if (::getrlimit(what_, &before_) != 0) return;
    const rlimit high = {value, value};
    if (::setrlimit(what_, &high) == 0) return;
    const rlimit most = {before_.rlim_max, before_.rlim_max};
    ::setrlimit(what_, &most);
  }
  ~RaisedLimit() { ::setrlimit(what_, &before_); }
  RaisedLimit(const RaisedLimit&) = delete;
  RaisedLimit& operator=(const RaisedLimit&) = delete;

 private:
  __rlimit_resource_t what_;
  rlimit before_ = {};
};

}  // namespace cove::attack
