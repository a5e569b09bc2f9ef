#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/http_handler.h"
#include "api/http_parser.h"
#include "base/bytes.h"
#include "base/result.h"

namespace cove {

struct HttpServerOptions {
  HttpReadLimits read;
  Bytes bodies_total = Bytes::mib(512);  // of bodies held at once, over all connections
  std::size_t max_connections = 1024;
  std::chrono::milliseconds idle_timeout{60'000};  // between requests
  std::chrono::milliseconds header_timeout{
      10'000};  // from a request's first byte to its last header
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds write_timeout{30'000};  // without the client taking a byte
  // A comment after so long a silence of an event stream, so that proxies let it live; 0: none.
  std::chrono::milliseconds stream_keep_alive{15'000};
  Bytes stream_buffer = Bytes::mib(1);  // output that a slow reader has not taken
  Bytes websocket_message = Bytes::mib(16);
  unsigned io_threads = 1;
};

struct TlsFiles {
  std::string certificate;  // PEM, with the chain
  std::string key;          // PEM
  bool empty() const { return certificate.empty() && key.empty(); }
};

// Listens, reads requests, hands them to the handler one at a time a connection, writes answers in
// order. Thread-safe.
class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> create(HttpServerOptions options, TlsFiles tls,
                                                    std::shared_ptr<HttpHandler> handler);
  virtual ~HttpServer() = default;  // as stop()

  // "127.0.0.1:8700", "[::1]:0", "unix:/run/cove.sock". TCP is encrypted if there are TLS files; a
  // unix socket never is.
  virtual Result<> listen(const std::string& address, unsigned unix_mode) = 0;
  // Where it really listens: port 0 is replaced by the one that was given.
  virtual std::vector<std::string> addresses() const = 0;
  virtual void start() = 0;

  // Graceful end: first answers say `Connection: close`, so that clients go elsewhere, but whoever
  // comes is still answered;
  virtual void begin_drain() = 0;
  // then no new connections, and idle ones close;
  virtual void stop_accepting() = 0;
  // then time for those that work, false if some still do;
  virtual bool wait_until_quiet(std::chrono::milliseconds patience) = 0;
  // then the rest is cut off and the threads end.
  virtual void stop() = 0;

  virtual std::size_t connections() const = 0;
};

}  // namespace cove
