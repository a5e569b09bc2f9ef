#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "client/client.h"
#include "client/event_decoder.h"

namespace cove {

// What cancelling a streamed call does: asks the server to end the work named by the id of the
// "started" event (empty: none came yet). False: it could not, and the connection is to be cut.
struct Client::Stream {
  std::function<bool(const std::string& id)> end;
};

// The events of one call on their way to the caller's sink. One thread; id() from any.
class EventReader {
 public:
  EventReader(const RemoteContext& context, Bytes longest) : context_(context), longest_(longest) {}

  bool open(std::string_view content_type);  // false: no event stream
  Result<> take(std::string_view piece);
  // After the last piece: what the "result" event holds, or the server's error.
  Result<json::value> finish();
  std::string id() const;

 private:
  Result<> take_event(json::object& event);
  Result<> take_output(const std::string& type, const json::object& event);
  Result<> take_diagnostics(const json::object& event);

  const RemoteContext& context_;
  Bytes longest_;
  std::optional<EventDecoder> decoder_;
  std::optional<json::value> result_;
  std::optional<Error> error_;
  bool shown_ = false;  // the sink has shown why nothing runs: stderr would say it again
  mutable std::mutex mutex_;
  std::string id_;
};

}  // namespace cove
