#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "http/server_url.h"

namespace cove {

// How the message of an error begins when nobody could be reached at all.
inline constexpr std::string_view kConnecting = "connecting to";

struct HttpCall {
  std::string_view method = "GET";
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view content_type;  // empty: there is no body
  std::string_view body;
  // Asked once a slice: true ends the call by closing its connection.
  std::function<bool()> give_up;
  std::chrono::milliseconds slice{50};
  std::chrono::milliseconds patience{0};  // the server may be silent for so long; zero: for ever
  // Told of the head before the body; true: the body goes piece by piece to on_piece instead of
  // into the reply. An error from on_piece ends the call.
  std::function<bool(int status, std::string_view content_type)> on_head;
  std::function<Result<>(std::string_view piece)> on_piece;
};

// A call after whose head the connection carries bytes in both directions, without any more HTTP:
// what a Docker engine calls hijacking. Input and output flow at the same time, so that neither
// side ever waits for the other to be read.
struct HttpConversation {
  // on_piece gets what the server sends once it agreed; `patience` is for the head alone.
  HttpCall call;
  std::string_view input;
  // Asked when all of that was sent, and again after each piece that came: what else is to be sent.
  // Empty: nothing for now.
  std::function<std::string_view()> more_input;
  // Told when the server agreed, before anything else.
  std::function<void()> on_open;
};

struct HttpReply {
  int status = 0;
  std::string content_type;
  std::string retry_after;
  std::string body;
};

struct TransportOptions {
  std::string ca_file;             // PEM; empty: the system's authorities
  bool verify_certificate = true;  // chain, dates and host name
  std::string certificate_file;    // PEM, to show who calls; empty: none is shown
  std::string key_file;            // PEM, its private key
  std::chrono::milliseconds connect_timeout{10'000};
  Bytes max_body = Bytes::mib(256);  // of a reply that is held in memory
};

// HTTP/1.1 to one server. Calls block; many threads may call at once, each on a connection of its
// own; connections are kept and used again. Nothing is ever followed to another place.
class HttpTransport {
 public:
  static Result<std::unique_ptr<HttpTransport>> create(ServerUrl url, TransportOptions options);
  virtual ~HttpTransport() = default;
  // BackendUnavailable: it could not be reached or hung up; Timeout: it was silent for too long;
  // TooLarge: the reply is; Internal: it is no HTTP.
  virtual Result<HttpReply> exchange(const HttpCall& call) = 0;
  // Ends with the status (101 or 200) when the server has closed the connection; another status
  // comes with its body, and nothing was exchanged. On a connection of its own, never used again.
  virtual Result<HttpReply> converse(const HttpConversation& conversation) = 0;
};

}  // namespace cove
