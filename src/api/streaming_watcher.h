#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/call.h"
#include "api/event_codec.h"
#include "api/output_feed.h"
#include "engine/job.h"

namespace cove {

// Sends what happens to a job as events on a call's stream.
class StreamingWatcher final : public JobWatcher {
 public:
  // Without `follow` it sends what there is so far, and close_here() ends the stream.
  StreamingWatcher(std::shared_ptr<Call> call, EventFormat format, bool follow = true);

  void open(const std::string& id);  // once the stream was started
  void on_diagnostics(const std::vector<Diagnostic>& diagnostics) override;
  void on_notice(std::string_view message) override;
  void on_output(OutputStream stream, std::string_view bytes) override;
  void on_end(const JobRecord& record) override;
  bool follows() const override { return follow_; }
  // The end of a stream that does not follow, unless the job was over and has ended it.
  void close_here(JobState state);

 private:
  std::shared_ptr<Call> call_;
  OutputFeed feed_;
  const bool follow_;
  bool over_ = false;
};

// The last event of a job: its result or its error.
json::object end_event(const JobRecord& record);

}  // namespace cove
