#include "api/streaming_watcher.h"

#include <utility>

#include "model/result_codec.h"

namespace cove {

json::object end_event(const JobRecord& record) {
  if (record.error) return error_event(*record.error);
  json::object out{{"type", "result"}};
  if (record.result) out["result"] = encode_result(*record.result);
  return out;
}

StreamingWatcher::StreamingWatcher(std::shared_ptr<Call> call, EventFormat format, bool follow)
    : call_(std::move(call)),
      feed_([target = call_.get(), format](const json::object& event, bool must_keep) {
        return target->write(encode_event(format, event), must_keep);
      }),
      follow_(follow) {}

void StreamingWatcher::open(const std::string& id) {
  feed_.open(started_event(id));
}

void StreamingWatcher::on_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  feed_.event(diagnostics_event(diagnostics));
}

void StreamingWatcher::on_notice(std::string_view message) {
  feed_.event(notice_event(message));
}

void StreamingWatcher::on_output(OutputStream stream, std::string_view bytes) {
  feed_.output(stream, bytes);
}

void StreamingWatcher::on_end(const JobRecord& record) {
  feed_.open(started_event(record.id));  // if the job was quicker than its submission
  feed_.close(end_event(record));
  over_ = true;
  call_->finish();
}

void StreamingWatcher::close_here(JobState state) {
  if (over_) return;
  feed_.close({{"type", "so_far"}, {"state", job_state_name(state)}});
  call_->finish();
}

}  // namespace cove
