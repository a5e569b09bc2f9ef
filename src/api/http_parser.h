#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http_message.h"
#include "base/bytes.h"

namespace cove {

struct HttpReadLimits {
  Bytes header = Bytes::kib(16);
  Bytes body = Bytes::mib(128);
};

// Why a request cannot be read: the status to answer with, and the connection is over.
struct HttpReadError {
  int status = 400;
  std::string message;
};

// Bytes to one HTTP/1.x request, strictly: what two readers could understand differently (both
// lengths, two lengths, folded lines, bare line feeds, unknown transfer codings) is refused. Feed
// it until head_done(), then until done(). One parser reads one request.
class HttpRequestParser {
 public:
  explicit HttpRequestParser(HttpReadLimits limits);
  ~HttpRequestParser();
  HttpRequestParser(const HttpRequestParser&) = delete;
  HttpRequestParser& operator=(const HttpRequestParser&) = delete;

  // Takes what it can use of `bytes` and says how much that was: the rest is to be given again
  // with more behind it, or belongs to the next request. Stops at the end of the head.
  std::size_t feed(std::string_view bytes);

  bool started() const;    // has seen anything but empty lines
  bool head_done() const;  // method, target and headers of request() are there
  bool done() const;
  const std::optional<HttpReadError>& error() const;

  std::optional<std::uint64_t> content_length() const;  // after the head; absent: chunked or none
  bool has_body() const;
  bool expects_continue() const;

  HttpRequest& request();  // body: when done

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cove
