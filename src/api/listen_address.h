#pragma once
#include <string>

#include "base/result.h"

namespace cove {

// Where to listen, as people write it.
struct ListenAddress {
  std::string host;  // an IP address; empty for a unix socket
  unsigned short port = 0;
  std::string unix_path;

  bool is_unix() const { return !unix_path.empty(); }
  bool is_loopback() const;  // a unix socket counts: nobody beyond this host reaches it
};

// "127.0.0.1:8700", "[::1]:8700", "localhost:8700", "unix:/run/cove/cove.sock". Other host names
// are refused: what they resolve to is not the operator's to see.
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace cove
