#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/result.h"

namespace cove {

// Pieces of a body to events, as they arrive: server-sent events (their `data:` lines) or one JSON
// object a line. Every event is an object with a "type". The bytes come from a server that may be
// hostile: an event longer than the limit, or one that is no such object, ends the decoding with an
// error, and stays one.
class EventDecoder {
 public:
  enum class Format : unsigned char { Ndjson, Sse };
  explicit EventDecoder(Format format, Bytes longest_event = Bytes::mib(256))
      : format_(format), longest_(longest_event.value) {}

  // The events that `bytes` completes, in order.
  Result<std::vector<json::object>> feed(std::string_view bytes);
  // Whether the stream may end here: not within an event.
  bool at_boundary() const { return line_.empty() && data_.empty(); }

 private:
  Result<> take_line(std::string_view line, std::vector<json::object>& out);
  Result<> take_event(std::string_view text, std::vector<json::object>& out) const;

  Format format_;
  std::size_t longest_;
  std::string line_;       // the start of a line whose end has not come yet
  std::string data_;       // SSE: the data lines of the event so far
  bool has_data_ = false;  // an event may have an empty data line
  bool after_cr_ = false;  // SSE: a line may end with CR, LF or CR LF
  bool broken_ = false;
};

// What one output event says: its bytes, from "data" or "data_base64".
Result<std::string> event_bytes(const json::object& event);

}  // namespace cove
