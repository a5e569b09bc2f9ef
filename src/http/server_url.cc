#include "http/server_url.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr std::size_t kLongestUnixPath = 107;  // sun_path, less its NUL
constexpr std::size_t kLongestHost = 253;

Err refuse(std::string_view text, std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest,
                   fmt::format("the server's address {} {}; allowed: http://HOST:PORT, "
                               "https://HOST:PORT, unix:PATH",
                               quoted(text), problem)));
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

bool is_address_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == '.' ||
         c == ':';
}

// What is in front of the port; `rest` becomes ":PORT" or nothing.
std::string_view take_host(std::string_view& rest) {
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return {};
    const std::string_view host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return std::ranges::all_of(host, is_address_character) ? host : std::string_view();
  }
  const std::string_view host = rest.substr(0, rest.find(':'));
  rest.remove_prefix(host.size());
  return std::ranges::all_of(host, is_host_character) ? host : std::string_view();
}

}  // namespace

bool ServerUrl::is_local() const {
  return is_unix() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string ServerUrl::host_header() const {
  if (is_unix()) return "localhost";
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl out;
  std::string_view rest = text;
  if (rest.starts_with("unix:")) {
    rest.remove_prefix(5);
    if (rest.empty()) return refuse(text, "has no path");
    if (rest.size() > kLongestUnixPath) return refuse(text, "has a path longer than 107 bytes");
    if (rest.find('\0') != std::string_view::npos) return refuse(text, "has a NUL in its path");
    out.unix_path = std::string(rest);
    return out;
  }
  if (rest.starts_with("https://")) {
    out.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return refuse(text, "does not say how to reach it");
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('@') != std::string_view::npos) {
    return refuse("…", "must not hold a user name or a key");
  }
  if (rest.find_first_of("/?#") != std::string_view::npos) {
    return refuse(text, "must end after the port");
  }
  const std::string_view host = take_host(rest);
  if (host.empty() || host.size() > kLongestHost) return refuse(text, "has no proper host");
  out.host = std::string(host);
  out.port = out.tls ? 443 : 80;
  if (rest.empty()) return out;
  rest.remove_prefix(1);  // the colon
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), out.port);
  if (parsed.ec != std::errc() || parsed.ptr != rest.data() + rest.size() || out.port == 0) {
    return refuse(text, "has no port from 1 to 65535");
  }
  return out;
}

}  // namespace cove
