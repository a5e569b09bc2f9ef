#include "client/event_decoder.h"

#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/parse_json.h"
#include "base/parse_size.h"
#include "base/strings.h"

namespace cove {

namespace {

Err malformed(std::string_view problem) {
  return Err(Error(ErrorCode::Internal,
                   "the server's event stream is malformed: " + std::string(problem)));
}

}  // namespace

Result<std::vector<json::object>> EventDecoder::feed(std::string_view bytes) {
  std::vector<json::object> out;
  if (broken_) return malformed("it was given up before");
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of(format_ == Format::Sse ? "\r\n" : "\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + data_.size() + part.size() > longest_) {
      broken_ = true;
      return malformed("an event is longer than " + format_size({longest_}));
    }
    line_ += part;
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (auto taken = take_line(line, out); !taken) {
      broken_ = true;
      return Err(std::move(taken).error());
    }
  }
  return out;
}

Result<> EventDecoder::take_line(std::string_view line, std::vector<json::object>& out) {
  if (format_ == Format::Ndjson) {
    if (trim(line).empty()) return {};
    return take_event(line, out);
  }
  if (line.empty()) {
    const std::string text = std::exchange(data_, {});
    if (!std::exchange(has_data_, false)) return {};
    return take_event(text, out);
  }
  const std::size_t colon = line.find(':');
  // Comments, `event:`, `id:` and `retry:` say nothing that the data does not.
  if (line.substr(0, colon) != "data") return {};
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
  return {};
}

Result<> EventDecoder::take_event(std::string_view text, std::vector<json::object>& out) const {
  JsonParseLimits limits;
  limits.size = Bytes{longest_};
  auto value = parse_json(text, limits);
  if (!value) return malformed(value.error().message());
  if (!value->is_object()) return malformed("an event is no object");
  const json::value* const type = value->get_object().if_contains("type");
  if (type == nullptr || !type->is_string()) return malformed("an event has no type");
  out.push_back(std::move(value->get_object()));
  return {};
}

Result<std::string> event_bytes(const json::object& event) {
  if (const json::value* const text = event.if_contains("data"); text && text->is_string()) {
    return std::string(text->get_string());
  }
  const json::value* const encoded = event.if_contains("data_base64");
  if (encoded == nullptr || !encoded->is_string()) return malformed("output without data");
  const json::string& text = encoded->get_string();
  auto bytes = base64_decode({text.data(), text.size()});
  if (!bytes) return malformed(bytes.error().message());
  return std::move(*bytes);
}

}  // namespace cove
