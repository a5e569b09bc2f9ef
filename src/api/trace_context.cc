#include "api/trace_context.h"

#include <algorithm>

#include "base/random_id.h"

namespace cove {

namespace {

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string request_id_of(const HttpRequest& request) {
  const std::string_view given = request.header("x-request-id");
  const bool sane = !given.empty() && given.size() <= 128 && std::ranges::all_of(given, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  return sane ? std::string(given) : random_id("req_");
}

// version "-" trace id "-" parent id "-" flags
std::string traceparent_of(const HttpRequest& request) {
  const std::string_view given = request.header("traceparent");
  if (given.size() < 55 || given.size() > 256 || request.count_header("traceparent") != 1)
    return {};
  if (given[2] != '-' || given[35] != '-' || given[52] != '-') return {};
  const std::string_view version = given.substr(0, 2);
  const std::string_view trace = given.substr(3, 32);
  const std::string_view parent = given.substr(36, 16);
  if (!is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(given.substr(53, 2))) {
    return {};
  }
  if (version == "ff" || is_zero(trace) || is_zero(parent)) return {};
  // Version 00 is exactly this long; later ones may go on behind a dash.
  if (given.size() > 55 && (version == "00" || given[55] != '-')) return {};
  return std::string(given.substr(0, 55));
}

}  // namespace cove
