#include "api/listen_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>
#include <cstring>

#include <netinet/in.h>

#include "base/strings.h"

namespace cove {

namespace {

Err bad_address(std::string_view text, std::string_view problem) {
  return Err(Error::invalid_field("listen", "must be HOST:PORT or unix:PATH, got " + quoted(text) +
                                                " (" + std::string(problem) + ")"));
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return is_unix() || host == "::1" || host.starts_with("127.");
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress out;
  if (text.starts_with("unix:")) {
    out.unix_path = text.substr(5);
    if (!out.unix_path.starts_with('/')) return bad_address(text, "the path must be absolute");
    if (out.unix_path.size() >= sizeof(sockaddr_un::sun_path)) {
      return bad_address(text, "the path must be shorter than 108 bytes");
    }
    return out;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text, "there is no port");
  const std::string_view digits = text.substr(colon + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    return bad_address(text, "the port must be a number up to 65535");
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  out.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  in6_addr address{};
  if (::inet_pton(AF_INET, out.host.c_str(), &address) != 1 &&
      ::inet_pton(AF_INET6, out.host.c_str(), &address) != 1) {
    return bad_address(text, "the host must be an IP address or localhost");
  }
  return out;
}

}  // namespace cove
