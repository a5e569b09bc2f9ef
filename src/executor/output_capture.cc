#include "executor/output_capture.h"

#include <algorithm>
#include <utility>

namespace cove {

void OutputCapture::consume(std::string_view chunk) {
  const std::string_view within = kept_.append(chunk);
  if (sink_ == nullptr || within.empty()) return;
  if (stream_ == Stream::Stdout) {
    sink_->on_stdout(within);
  } else {
    sink_->on_stderr(within);
  }
}

void OutputCapture::finish(ExecutionResult& into) {
  TruncatedText text = kept_.finish();
  if (text.truncated &&
      std::ranges::find(into.limits_hit, LimitHit::Output) == into.limits_hit.end()) {
    into.limits_hit.push_back(LimitHit::Output);
  }
  if (stream_ == Stream::Stdout) {
    into.stdout_data = std::move(text.text);
    into.stdout_truncated = text.truncated;
  } else {
    into.stderr_data = std::move(text.text);
    into.stderr_truncated = text.truncated;
  }
}

}  // namespace cove
