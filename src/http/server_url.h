#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// Where a Cove server listens, taken apart.
struct ServerUrl {
  std::string host;  // a name or an IP address without brackets; empty for a unix socket
  unsigned short port = 0;
  bool tls = false;
  std::string unix_path;

  bool is_unix() const { return !unix_path.empty(); }
  // Nobody between here and there can listen: a unix socket or this machine's own addresses.
  bool is_local() const;
  // As the Host header says it: "127.0.0.1:8700", "[::1]:8700"; "localhost" for a unix socket.
  std::string host_header() const;
};

// "http://127.0.0.1:8700", "https://cove.example", "http://[::1]:8700", "unix:/run/cove.sock". A
// path, a query or a user name is refused: the first two have no meaning here, and a key does not
// belong into a URL, which ends up in histories and logs.
Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace cove
