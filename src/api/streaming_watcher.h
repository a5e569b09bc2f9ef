#pragma once
#include <memory>
#include <string>

#include "api/call.h"
#include "api/event_codec.h"
#include "api/output_feed.h"
#include "engine/job.h"

namespace cove {

// Sends what happens to a job as events on a call's stream.
class StreamingWatcher final : public JobWatcher {
 public:
  StreamingWatcher(std::shared_ptr<Call> call, EventFormat format);

  void open(const std::string& id);  // once the stream was started
  void on_output(OutputStream stream, std::string_view bytes) override;
  void on_end(const JobRecord& record) override;

 private:
  std::shared_ptr<Call> call_;
  OutputFeed feed_;
};

// The last event of a job: its result or its error.
json::object end_event(const JobRecord& record);

}  // namespace cove
