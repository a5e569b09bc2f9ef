#include "api/http_parser.h"

#include <algorithm>
#include <cctype>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"

namespace cove {

namespace http = boost::beast::http;

struct HttpRequestParser::Impl {
  explicit Impl(HttpReadLimits given) : limits(given) {
    parser.header_limit(static_cast<std::uint32_t>(limits.header.value));
    parser.body_limit(limits.body.value);
    parser.eager(true);
  }

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  std::size_t put(std::string_view bytes);
  void fail(int status, std::string message) { error = HttpReadError{status, std::move(message)}; }
  void take_head();
  void check_head();

  HttpReadLimits limits;
  http::request_parser<http::string_body> parser;
  HttpRequest request;
  std::optional<HttpReadError> error;
  bool started = false;
  bool head_done = false;
  bool done = false;
};

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// What the library would let pass: each of these is how two readers come to disagree.
std::string_view problem_of_head(std::string_view head) {
  std::size_t at = 0;
  bool first = true;
  while (at < head.size()) {
    const std::size_t end = head.find('\n', at);
    if (end == std::string_view::npos) break;
    if (end == at || head[end - 1] != '\r') return "has a line that ends without CR";
    const std::string_view line = head.substr(at, end - 1 - at);
    if (line.find('\r') != std::string_view::npos) return "has a CR inside a line";
    if (line.find('\0') != std::string_view::npos) return "has a NUL byte";
    if (!first && (line.starts_with(' ') || line.starts_with('\t'))) return "has a folded line";
    if (!first && !line.empty()) {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos || colon == 0) return "has a line that is no header";
      if (line[colon - 1] == ' ' || line[colon - 1] == '\t') {
        return "has a space between a header's name and its colon";
      }
    }
    first = false;
    at = end + 1;
  }
  return {};
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

HttpReadError read_error(const boost::system::error_code& code, const HttpReadLimits& limits) {
  if (code == http::error::header_limit) {
    return {431, "the request's head must not be larger than " + format_size(limits.header)};
  }
  if (code == http::error::body_limit) {
    return {413, "the request's body must not be larger than " + format_size(limits.body)};
  }
  if (code == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  return {400, "the request is not HTTP/1.1: " + code.message()};
}

}  // namespace

HttpRequestParser::HttpRequestParser(HttpReadLimits limits)
    : impl_(std::make_unique<Impl>(limits)) {}
HttpRequestParser::~HttpRequestParser() = default;

std::size_t HttpRequestParser::Impl::put(std::string_view bytes) {
  boost::system::error_code code;
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), code);
  if (code && code != http::error::need_more) error = read_error(code, limits);
  return used;
}

// The head is looked at as a whole before the library reads it.
std::size_t HttpRequestParser::Impl::feed_head(std::string_view bytes) {
  std::size_t skipped = 0;  // empty lines before a request are to be ignored (RFC 9112, 2.2)
  while (bytes.substr(skipped).starts_with("\r\n")) skipped += 2;
  const std::string_view text = bytes.substr(skipped);
  if (text.empty() || text == "\r") return skipped;
  started = true;
  const std::size_t end = text.find("\r\n\r\n");
  const std::size_t size = end == std::string_view::npos ? text.size() : end + 4;
  if (size > limits.header.value) {
    error = read_error(http::make_error_code(http::error::header_limit), limits);
    return skipped;
  }
  if (const std::string_view problem = problem_of_head(text.substr(0, size)); !problem.empty()) {
    fail(400, "the request's head " + std::string(problem));
    return skipped;
  }
  if (end == std::string_view::npos) return skipped;
  parser.eager(false);
  const std::size_t used = put(text.substr(0, size));
  if (error) return skipped;
  if (!parser.is_header_done()) {
    fail(400, "the request's head ends too soon");
    return skipped;
  }
  head_done = true;
  take_head();
  check_head();
  done = parser.is_done();
  parser.eager(true);
  return skipped + used;
}

void HttpRequestParser::Impl::take_head() {
  const auto& message = parser.get();
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.minor_version = static_cast<int>(message.version() % 10);
  request.keep_alive = message.keep_alive();
  for (const auto& field : message) {
    request.headers.emplace_back(lower(field.name_string()), std::string(trim(field.value())));
  }
  const bool upgrade = lower(request.header("connection")).find("upgrade") != std::string::npos;
  request.wants_upgrade = upgrade && lower(request.header("upgrade")) == "websocket";
}

void HttpRequestParser::Impl::check_head() {
  const std::size_t lengths = request.count_header("content-length");
  const std::size_t codings = request.count_header("transfer-encoding");
  if (lengths > 0 && codings > 0) {
    return fail(400, "Content-Length and Transfer-Encoding must not be given together");
  }
  if (lengths > 1) return fail(400, "Content-Length must not be given twice");
  if (lengths == 1 && !all_digits(request.header("content-length"))) {
    return fail(400, "Content-Length must be a decimal number");
  }
  if (codings > 1 || (codings == 1 && lower(request.header("transfer-encoding")) != "chunked")) {
    return fail(501, "the only Transfer-Encoding understood is chunked");
  }
  if (codings == 1 && request.minor_version == 0) {
    return fail(400, "Transfer-Encoding does not belong in HTTP/1.0");
  }
  if (request.minor_version >= 1 && request.count_header("host") != 1) {
    return fail(400, "exactly one Host header is required");
  }
  if (request.has_header("expect") && lower(request.header("expect")) != "100-continue") {
    return fail(417, "the only Expect understood is 100-continue");
  }
  if (const auto split = split_target(request); !split) fail(400, split.error().message());
}

std::size_t HttpRequestParser::Impl::feed_body(std::string_view bytes) {
  std::size_t used = 0;
  while (!error && !parser.is_done() && used < bytes.size()) {
    const std::size_t step = put(bytes.substr(used));
    if (step == 0) break;
    used += step;
  }
  // An endless chunk header or trailer would otherwise make the caller keep an endless buffer.
  if (!error && !parser.is_done() && bytes.size() - used > limits.header.value) {
    fail(400, "a chunk's head must not be larger than " + format_size(limits.header));
  }
  if (!error && parser.is_done()) {
    done = true;
    request.body = std::move(parser.get().body());
  }
  return used;
}

std::size_t HttpRequestParser::feed(std::string_view bytes) {
  if (impl_->error || impl_->done) return 0;
  return impl_->head_done ? impl_->feed_body(bytes) : impl_->feed_head(bytes);
}

bool HttpRequestParser::started() const {
  return impl_->started;
}
bool HttpRequestParser::head_done() const {
  return impl_->head_done;
}
bool HttpRequestParser::done() const {
  return impl_->done && !impl_->error;
}
const std::optional<HttpReadError>& HttpRequestParser::error() const {
  return impl_->error;
}

std::optional<std::uint64_t> HttpRequestParser::content_length() const {
  const auto length = impl_->parser.content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

bool HttpRequestParser::has_body() const {
  return impl_->parser.chunked() || content_length().value_or(0) > 0;
}

bool HttpRequestParser::expects_continue() const {
  return impl_->request.has_header("expect") && impl_->request.minor_version >= 1;
}

HttpRequest& HttpRequestParser::request() {
  return impl_->request;
}

}  // namespace cove
