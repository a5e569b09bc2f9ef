#include "api/event_codec.h"

#include "api/http_status.h"
#include "base/base64.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "model/diagnostic_codec.h"
#include "model/diagnostic_text.h"

namespace cove {

namespace {

// How many bytes at the end begin a character whose rest is missing.
std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t needed = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC2U ? 2 : 1;
    return byte <= 0xF4U && needed > back ? back : 0;
  }
  return 0;
}

}  // namespace

Result<EventFormat> event_format_of(const HttpRequest& request) {
  if (const auto asked = request.query_value("stream")) {
    if (*asked == "sse" || *asked == "true") return EventFormat::Sse;
    if (*asked == "ndjson") return EventFormat::Ndjson;
    if (*asked == "false") return EventFormat::None;
    return Err(
        Error::invalid_field("stream", "must be sse, ndjson or false, got " + quoted(*asked)));
  }
  const std::string_view accept = request.header("accept");
  if (accept.find("text/event-stream") != std::string_view::npos) return EventFormat::Sse;
  if (accept.find("application/x-ndjson") != std::string_view::npos) return EventFormat::Ndjson;
  return EventFormat::None;
}

std::string_view content_type_of(EventFormat format) {
  return format == EventFormat::Sse ? "text/event-stream" : "application/x-ndjson";
}

std::string encode_event(EventFormat format, const json::object& event) {
  const std::string text = write_json(event);
  if (format != EventFormat::Sse) return text + "\n";
  const json::string& type = event.at("type").get_string();
  return "event: " + std::string(type) + "\ndata: " + text + "\n\n";
}

json::object OutputEvents::encode(std::string_view bytes) const {
  if (bytes.empty()) return {};
  if (is_valid_utf8(bytes)) return {{"type", type_}, {"data", bytes}};
  return {{"type", type_}, {"data_base64", base64_encode(bytes)}};
}

json::object OutputEvents::add(std::string_view bytes) {
  carry_ += bytes;
  const std::size_t ready = carry_.size() - incomplete_tail(carry_);
  json::object event = encode(std::string_view(carry_).substr(0, ready));
  carry_.erase(0, ready);
  return event;
}

json::object OutputEvents::rest() {
  json::object event = encode(carry_);
  carry_.clear();
  return event;
}

json::object started_event(std::string_view id) {
  return {{"type", "started"}, {"execution_id", id}};
}

json::object diagnostics_event(const std::vector<Diagnostic>& diagnostics) {
  return {
      {"type", "diagnostics"},
      {"diagnostics", encode_diagnostics(diagnostics)},
      {"diagnostics_text", sanitize_utf8(render_diagnostics(diagnostics, DiagnosticStyle::Short))}};
}

json::object notice_event(std::string_view message) {
  return {{"type", "notice"}, {"message", sanitize_utf8(message)}};
}

json::object dropped_event(std::string_view stream, std::uint64_t bytes) {
  return {{"type", "dropped"}, {"stream", stream}, {"bytes", bytes}};
}

json::object refused_event(const Error& error) {
  json::object out = error_event(error);
  out["type"] = "refused";
  return out;
}

json::object error_event(const Error& error) {
  json::object event = error_body(error);
  json::object out{{"type", "error"}};
  out["error"] = std::move(event.at("error"));
  return out;
}

}  // namespace cove
