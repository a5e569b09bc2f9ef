#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cove {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A request as the routes see it: nothing of the library that read it.
struct HttpRequest {
  std::string method;  // as sent: "GET"
  std::string target;  // as sent: "/v1/executions?limit=10"
  std::string path;    // of the target, still percent-encoded: segments are decoded one by one
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  HeaderList headers;                                      // names in lower case
  std::string body;
  int minor_version = 1;       // of HTTP/1.x
  bool keep_alive = true;      // what the client asks for
  bool wants_upgrade = false;  // a WebSocket handshake
  std::string peer;            // "127.0.0.1:51234", "unix"
  bool encrypted = false;

  // The first header of that name (in lower case), or empty.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;
  std::size_t count_header(std::string_view name) const;
  // The first query parameter of that name, if it is there.
  std::optional<std::string> query_value(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HeaderList headers;
  std::string body;

  static HttpResponse text(int status, std::string body, std::string_view content_type);
  HttpResponse& with_header(std::string name, std::string value);
};

std::string_view reason_phrase(int status);

// "a%20b" is "a b". A broken escape or an encoded NUL is an InvalidRequest.
Result<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

// Fills path and query from the target: origin form ("/path?query") and absolute form
// ("http://host/path"); everything else ("*", "host:443") is an InvalidRequest.
Result<> split_target(HttpRequest& request);

// What the head of an answer is made of, besides its own headers.
struct ResponseFraming {
  bool chunked = false;  // else Content-Length
  std::uint64_t content_length = 0;
  bool keep_alive = true;
};

// Status line and headers, with the empty line that ends them. Line breaks in header values would
// be a way to forge an answer: such a header is left out.
std::string response_head(const HttpResponse& response, const ResponseFraming& framing);

}  // namespace cove
