#include "client/client_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json_fields.h"
#include "client/client_codec.h"
#include "model/diagnostic_codec.h"

namespace cove {

bool EventReader::open(std::string_view content_type) {
  if (content_type.starts_with("application/x-ndjson")) {
    decoder_.emplace(EventDecoder::Format::Ndjson, longest_);
  } else if (content_type.starts_with("text/event-stream")) {
    decoder_.emplace(EventDecoder::Format::Sse, longest_);
  }
  return decoder_.has_value();
}

Result<> EventReader::take(std::string_view piece) {
  if (!decoder_) return Err(Error(ErrorCode::Internal, "the server's answer is no event stream"));
  COVE_ASSIGN(auto events, decoder_->feed(piece));
  for (json::object& event : events) COVE_TRY(take_event(event));
  return {};
}

Result<> EventReader::take_event(json::object& event) {
  const std::string type(event.at("type").get_string());
  if (type == "started") {
    const json::value* const id = event.if_contains("execution_id");
    if (id == nullptr || !id->is_string()) return {};
    {
      const std::lock_guard lock(mutex_);
      id_ = std::string(id->get_string());
    }
    if (context_.on_started) context_.on_started(id_);
  } else if (type == "stdout" || type == "stderr") {
    return take_output(type, event);
  } else if (type == "diagnostics") {
    return take_diagnostics(event);
  } else if (type == "notice") {
    const json::value* const message = event.if_contains("message");
    if (context_.sink == nullptr || message == nullptr || !message->is_string()) return {};
    context_.sink->on_notice(std::string(message->get_string()));
  } else if (type == "display") {
    auto* const sink = dynamic_cast<CellSink*>(context_.sink);
    const json::value* const data = event.if_contains("data");
    if (sink == nullptr || data == nullptr) return {};
    COVE_ASSIGN(const RichData rich, decode_rich(*data));
    sink->on_display(rich);
  } else if (type == "dropped") {
    const json::value* const bytes = event.if_contains("bytes");
    if (context_.on_dropped && bytes != nullptr && bytes->is_int64() && bytes->get_int64() > 0) {
      context_.on_dropped(static_cast<std::uint64_t>(bytes->get_int64()));
    }
  } else if (type == "result") {
    result_ = event.contains("result") ? std::move(event.at("result")) : json::value();
  } else if (type == "so_far") {  // all that there is now of an execution that goes on
    result_ = json::value();
  } else if (type == "error") {
    error_ = decode_error(event);
  }
  return {};  // kinds that a newer server may add are passed over
}

Result<> EventReader::take_output(const std::string& type, const json::object& event) {
  COVE_ASSIGN(const std::string bytes, event_bytes(event));
  if (context_.sink == nullptr) return {};
  if (type == "stdout") {
    context_.sink->on_stdout(bytes);
  } else if (!shown_) {
    context_.sink->on_stderr(bytes);
  }
  return {};
}

Result<> EventReader::take_diagnostics(const json::object& event) {
  const json::value* const list = event.if_contains("diagnostics");
  if (context_.sink == nullptr || list == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*list, "diagnostics"));
  std::vector<Diagnostic> diagnostics;
  for (const json::value& item : *array) {
    COVE_ASSIGN(Diagnostic diagnostic, decode_diagnostic(item, "diagnostics"));
    diagnostics.push_back(std::move(diagnostic));
  }
  const bool fails = std::ranges::any_of(diagnostics, &Diagnostic::is_error);
  shown_ = context_.sink->on_diagnostics(diagnostics) && fails;
  return {};
}

Result<json::value> EventReader::finish() {
  if (error_) return Err(*error_);
  if (result_) return std::move(*result_);
  return Err(Error(ErrorCode::BackendUnavailable, "the server's answer ended without a result"));
}

std::string EventReader::id() const {
  const std::lock_guard lock(mutex_);
  return id_;
}

}  // namespace cove
