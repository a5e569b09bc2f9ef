#include "api/http_message.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Err bad_target(std::string_view problem) {
  return Err(Error(ErrorCode::InvalidRequest, "the request target " + std::string(problem)));
}

bool is_field_text(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  });
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HeaderList::value_type::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

bool HttpRequest::has_header(std::string_view name) const {
  return std::ranges::find(headers, name, &HeaderList::value_type::first) != headers.end();
}

std::size_t HttpRequest::count_header(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count(headers, name, &HeaderList::value_type::first));
}

std::optional<std::string> HttpRequest::query_value(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

HttpResponse HttpResponse::text(int status, std::string body, std::string_view content_type) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  response.headers.emplace_back("Content-Type", content_type);
  return response;
}

HttpResponse& HttpResponse::with_header(std::string name, std::string value) {
  headers.emplace_back(std::move(name), std::move(value));
  return *this;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return bad_target("has a '%' without two hexadecimal digits");
      const int byte = high * 16 + low;
      if (byte == 0) return bad_target("must not contain an encoded NUL byte");
      out.push_back(static_cast<char>(byte));
      i += 2;
    }
  }
  return out;
}

Result<> split_target(HttpRequest& request) {
  std::string_view target = request.target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = target.find_first_of("/?");
    if (end == 0) return bad_target("names no host");
    target = end == std::string_view::npos ? std::string_view("/") : target.substr(end);
    break;
  }
  if (target.starts_with('?')) {
    request.path = "/";
  } else if (!target.starts_with('/')) {
    return bad_target("must be a path such as /execute, got " + quoted(request.target));
  }
  if (target.find('#') != std::string_view::npos) return bad_target("must not contain '#'");
  const std::size_t mark = target.find('?');
  if (mark != 0) request.path = target.substr(0, mark);
  request.query.clear();
  if (mark == std::string_view::npos) return {};
  for (const std::string_view part : split(target.substr(mark + 1), '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    COVE_ASSIGN(std::string name, percent_decode(part.substr(0, equals), true));
    std::string value;
    if (equals != std::string_view::npos) {
      COVE_ASSIGN(value, percent_decode(part.substr(equals + 1), true));
    }
    if (request.query_value(name)) {
      return Err(Error::invalid_field(escape_file_name(name), "is given twice in the query"));
    }
    request.query.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

std::string response_head(const HttpResponse& response, const ResponseFraming& framing) {
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) {
    if (!is_field_text(name) || !is_field_text(value)) continue;
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (framing.chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (response.status != 204) {
    out += fmt::format("Content-Length: {}\r\n", framing.content_length);
  }
  out += framing.keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return out;
}

}  // namespace cove
