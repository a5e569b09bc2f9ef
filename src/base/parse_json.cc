#include "base/parse_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"

namespace cove {
namespace {

// Builds the value and refuses on the way what the library's own parser would let pass.
class StrictHandler {
 public:
  // The parser gets only whole documents, so these bounds are never what stops it first.
  static constexpr std::size_t max_object_size = std::size_t{1} << 30U;  // NOLINT(*-naming)
  static constexpr std::size_t max_array_size = std::size_t{1} << 30U;   // NOLINT(*-naming)
  static constexpr std::size_t max_key_size = std::size_t{1} << 30U;     // NOLINT(*-naming)
  static constexpr std::size_t max_string_size = std::size_t{1} << 30U;  // NOLINT(*-naming)

  explicit StrictHandler(std::size_t max_values) : values_left_(max_values) { stack_.reset(); }

  json::value release() { return stack_.release(); }
  const std::string& problem() const { return problem_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& ec) {
    keys_.emplace_back();
    return count(ec);
  }
  bool on_object_end(std::size_t n, json::error_code& ec) {
    std::vector<std::string> keys = std::move(keys_.back());
    keys_.pop_back();
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    if (twice != keys.end()) return refuse("the key " + quoted(*twice) + " occurs twice", ec);
    stack_.push_object(n);
    return true;
  }
  bool on_array_begin(json::error_code& ec) { return count(ec); }
  bool on_array_end(std::size_t n, json::error_code&) {
    stack_.push_array(n);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    key_ += part;
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    key_ += part;
    keys_.back().push_back(std::move(key_));
    key_.clear();
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code& ec) {
    stack_.push_string(part);
    return count(ec);
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, json::error_code& ec) {
    stack_.push_int64(number);
    return count(ec);
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code& ec) {
    stack_.push_uint64(number);
    return count(ec);
  }
  bool on_double(double number, json::string_view, json::error_code& ec) {
    if (!std::isfinite(number)) return refuse("a number is too large for a double", ec);
    stack_.push_double(number);
    return count(ec);
  }
  bool on_bool(bool flag, json::error_code& ec) {
    stack_.push_bool(flag);
    return count(ec);
  }
  bool on_null(json::error_code& ec) {
    stack_.push_null();
    return count(ec);
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool count(json::error_code& ec) {
    if (values_left_ == 0) return refuse("too many values", ec);
    --values_left_;
    return true;
  }
  bool refuse(std::string problem, json::error_code& ec) {
    problem_ = std::move(problem);
    ec = json::error::syntax;
    return false;
  }

  json::value_stack stack_;
  std::vector<std::vector<std::string>> keys_;  // of the objects that are open
  std::string key_;
  std::size_t values_left_;
  std::string problem_;
};

std::string describe(const json::error_code& ec, const JsonParseLimits& limits) {
  if (ec == json::error::too_deep) {
    return fmt::format("nested deeper than {} levels", limits.depth);
  }
  if (ec == json::error::incomplete) return "the text ends too early";
  if (ec == json::error::extra_data) return "something follows the document";
  return ec.message();
}

}  // namespace

Result<json::value> parse_json(std::string_view text, const JsonParseLimits& limits) {
  const auto refuse = [](std::string message) {
    return Err(Error(ErrorCode::InvalidRequest, "not valid JSON: " + std::move(message)));
  };
  if (text.size() > limits.size.value) {
    return refuse(fmt::format("larger than {}", format_size(limits.size)));
  }
  json::parse_options options;
  options.max_depth = limits.depth;
  json::basic_parser<StrictHandler> parser(options, limits.values);
  json::error_code ec;
  const std::size_t consumed = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && consumed < text.size()) ec = json::error::extra_data;
  if (ec) {
    const std::string& own = parser.handler().problem();
    return refuse(
        fmt::format("{} (at offset {})", own.empty() ? describe(ec, limits) : own, consumed));
  }
  return parser.handler().release();
}

}  // namespace cove
