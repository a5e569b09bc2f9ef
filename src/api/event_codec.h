#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "base/json.h"
#include "base/result.h"
#include "model/diagnostic.h"

namespace cove {

// How events are put on the wire. All are the same objects, {"type": "stdout", …}; server-sent
// events name the type once more in their `event:` line.
enum class EventFormat : unsigned char { None, Sse, Ndjson };

// By ?stream=sse|ndjson, else by Accept. None: one answer at the end.
Result<EventFormat> event_format_of(const HttpRequest& request);
std::string_view content_type_of(EventFormat format);
std::string encode_event(EventFormat format, const json::object& event);

// Program output as events. Text is {"type", "data"}; bytes that are no UTF-8 are {"type",
// "data_base64"}. A character that is cut by the end of a piece waits for its rest.
class OutputEvents {
 public:
  explicit OutputEvents(std::string_view type) : type_(type) {}

  // An empty object: nothing to send yet.
  json::object add(std::string_view bytes);
  json::object rest();

 private:
  json::object encode(std::string_view bytes) const;

  std::string_view type_;
  std::string carry_;
};

json::object started_event(std::string_view id);
// What a compiler said; with the text for a reader who will repair the program.
json::object diagnostics_event(const std::vector<Diagnostic>& diagnostics);
// Why it takes long now: a compiler is being prepared.
json::object notice_event(std::string_view message);
json::object dropped_event(std::string_view stream, std::uint64_t bytes);
// A client's message was not taken; the run, if there is one, goes on.
json::object refused_event(const Error& error);
json::object error_event(const Error& error);

}  // namespace cove
